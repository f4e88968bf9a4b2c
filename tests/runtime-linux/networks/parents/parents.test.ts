// Parents that the engine makes, while several networks on them come and go at once. The kernel is a list of names.
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import { turn } from "../../../../hosts/shared/turn.js";
import type { Kernel } from "../../../../runtime-linux/kernel.js";
import { IFLA_IFNAME } from "../../../../runtime-linux/networks/netlink/links.js";
import { findAttribute, numberAt } from "../../../../runtime-linux/networks/netlink/netlink.js";
import { Parents } from "../../../../runtime-linux/networks/parents/parents.js";
import { Paths } from "../../../../runtime-linux/paths.js";

const VLAN = "eth0.10";
/** Of rtnetlink(7). */
const [NEW, DELETE, CREATE] = [16, 17, 0x400];
/** Lengths of the headers of a message, and of one about a link. */
const [MESSAGE, LINK] = [16, 16];

test("of two networks that are the first on a VLAN, both have it", async () => {
  const { parents, links } = machine();
  await Promise.all([parents.make(on("a")), parents.make(on("b"))]);
  expect([...links]).toEqual(["eth0", VLAN]);
  await Promise.all([parents.drop("a"), parents.drop("b")]);
  expect([...links]).toEqual(["eth0"]);
});

test("a VLAN is there for a network that comes while its last one goes", async () => {
  const { parents, links } = machine();
  await parents.make(on("a"));
  await Promise.all([parents.drop("a"), parents.make(on("b"))]);
  expect([...links]).toEqual(["eth0", VLAN]);
  await Promise.all([parents.make(on("c")), parents.drop("b")]);
  expect([...links]).toEqual(["eth0", VLAN]);
});

test("a network that cannot be made does not keep others from its parent", async () => {
  const { parents, links } = machine();
  const lost = { ...on("a"), vlanLink: "eth7" };
  const made = await Promise.allSettled([parents.make(lost), parents.make(on("b"))]);
  expect(made.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect([...links]).toEqual(["eth0", VLAN]);
});

function on(network: string): networks.ParentNetwork {
  const vlan = { parent: VLAN, vlanLink: "eth0", vlanId: 10, isDummy: false };
  return { network, name: network, driver: "macvlan", mode: "bridge", ipvlanFlag: "", ...vlan };
}

function machine(): { parents: Parents; links: Set<string> } {
  const root = mkdtempSync(join(tmpdir(), "coracle-parents-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const links = new Set(["eth0"]);
  const kernel: Partial<Kernel> = {
    openNetlink: () => openSync("/dev/null", "r"),
    interfaceIndex: (name) => [...links].indexOf(name) + 1,
    netlink: async (_fd, requests) => {
      await turn();
      carryOut(links, requests);
      return [];
    },
  };
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  return { parents: new Parents(kernel as Kernel, paths, () => {}), links };
}

function carryOut(links: Set<string>, requests: Uint8Array): void {
  for (let at = 0; at < requests.length; at += numberAt(requests, at)) {
    const message = requests.subarray(at, at + numberAt(requests, at));
    const [type, flags] = [message[4]!, numberAt(message, 4) >>> 16];
    const named = findAttribute(message.subarray(MESSAGE + LINK), IFLA_IFNAME);
    const name = Buffer.from(named ?? [])
      .toString("latin1")
      .replace("\0", "");
    if (type === NEW && (flags & CREATE) !== 0 && links.has(name)) throw new Error(`EEXIST: ${name}`);
    if (type === NEW && (flags & CREATE) !== 0) links.add(name);
    if (type === DELETE) links.delete(name);
  }
}
