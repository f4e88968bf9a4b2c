// The firewall rules of a network, as the program nft reads them from the kernel: which packets the machine forwards to
// it and from it, and which addresses it translates. Needs root.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import type { Kernel } from "../../../../runtime-linux/kernel.js";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { makeTables, removeTables } from "../../../../runtime-linux/networks/rules/bridge-tables.js";
import { enterNamespace, makeNamespace, releaseNamespace } from "../../../../runtime-linux/networks/namespace.js";
import { must } from "../../../support/commands.js";
import { describeUnless } from "../../../support/on-engines.js";
import { bridge as usual } from "../../../support/usual-bridge.js";
import { missing } from "../bridge.js";

const bridge: networks.Bridge = {
  ...usual,
  name: "net",
  interfaceName: "br0",
  subnet: "172.31.0.0/16",
  gateway: "172.31.0.1",
};
const TABLE = "ip coracle-abababababab";
const ANSWERS = "ct state established,related accept";
const PUBLISHED = "ct status dnat accept";

describeUnless(missing, "rules of a network", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-rules-"));
  const namespace = join(root, "ns");
  /** Its sockets are in the namespace. */
  const kernel: Kernel = Object.assign(Object.create(libc) as Kernel, {
    openNetlink: (protocol: number) => enterNamespace(libc, namespace, () => libc.openNetlink(protocol)),
  });

  beforeAll(async () => {
    await makeNamespace(libc, namespace);
  });

  afterAll(async () => {
    await releaseNamespace(libc, namespace);
    rmSync(root, { recursive: true });
  });

  function nft(...args: string[]): Promise<string> {
    return must(["nsenter", `--net=${namespace}`, "nft", ...args]);
  }

  async function rulesOf(chain: string, more: Partial<networks.Bridge>, table = TABLE): Promise<string[]> {
    await makeTables(kernel, { ...bridge, ...more }, false);
    const listed = await nft("--numeric-protocol", "list", "chain", ...table.split(" "), chain);
    return listed.split("\n").flatMap((line) => (line.startsWith("\t\t") ? [line.trim()] : []));
  }

  /** The rules about forwarded packets, without the line about the chain itself. */
  async function entering(more: Partial<networks.Bridge>): Promise<string[]> {
    return (await rulesOf("entering", more)).slice(1);
  }

  test("let a network's packets go anywhere, and answers and published ports in", async () => {
    const rules = [`oifname != "br0" accept`, `iifname "br0" accept`, ANSWERS, PUBLISHED, "drop"];
    expect(await entering({})).toEqual(rules);
  });

  test("let packets back to a bridge without connections only as others", async () => {
    const rules = [`oifname != "br0" accept`, ANSWERS, PUBLISHED, "drop"];
    expect(await entering({ connectsContainers: false })).toEqual(rules);
  });

  test("let nothing out of an internal network or into it, but packets from its bridge back to it", async () => {
    const drops = [`iifname "br0" drop`, `oifname "br0" drop`];
    const back = `iifname "br0" oifname "br0"`;
    expect(await entering({ internal: true })).toEqual([`${back} accept`, ...drops]);
    const apart = await entering({ internal: true, connectsContainers: false });
    expect(apart).toEqual([`${back} ${ANSWERS}`, `${back} ${PUBLISHED}`, ...drops]);
  });

  test("let in all, or ICMP and opened ports, as the gateway mode says", async () => {
    const before = [`oifname != "br0" accept`, `iifname "br0" accept`, ANSWERS, PUBLISHED];
    const all = [...before, `iifname != "br0" accept`, "drop"];
    expect(await entering({ gatewayMode: "nat-unprotected" })).toEqual(all);
    const opened = "ip daddr . meta l4proto . th dport @opened accept";
    const routed = [...before, `iifname != "br0" meta l4proto 1 accept`, opened, "drop"];
    expect(await entering({ gatewayMode: "routed" })).toEqual(routed);
    const trusting = await entering({ trustedInterfaces: ["lan0", "lan1"] });
    expect(trusting).toEqual([...before, `iifname "lan0" ${opened}`, `iifname "lan1" ${opened}`, "drop"]);
  });

  test("let in opened ports from any number of trusted interfaces", async () => {
    const many = Array.from({ length: 300 }, (_, at) => `lan${at}`);
    expect(await entering({ trustedInterfaces: many })).toHaveLength(305);
  });

  test("hide senders behind the machine, but not those of a routed network", async () => {
    const back = [`ip saddr 172.31.0.0/16`, `ip saddr 127.0.0.0/8`].map((from) => {
      return `oifname "br0" ${from} ct status dnat masquerade`;
    });
    const hook = "type nat hook postrouting priority srcnat; policy accept;";
    const away = `ip saddr 172.31.0.0/16 oifname != "br0" oifname != "lo" masquerade`;
    expect(await rulesOf("leaving", {})).toEqual([hook, away, ...back]);
    expect(await rulesOf("leaving", { masquerades: false })).toEqual([hook, ...back]);
    expect(await rulesOf("leaving", { gatewayMode: "routed" })).toEqual([hook, ...back]);
    const chosen = await rulesOf("leaving", { sourceAddress: "192.0.2.7" });
    expect(chosen).toEqual([hook, away.replace("masquerade", "snat to 192.0.2.7"), ...back]);
  });

  test("keep others from the machine's loopback, and lead published ports", async () => {
    expect(await rulesOf("guard", {})).toEqual([
      "type filter hook prerouting priority raw; policy accept;",
      'iifname != "lo" ip daddr 127.0.0.0/8 drop',
    ]);
    expect(await rulesOf("publish", {})).toEqual([
      "dnat ip to ip daddr . meta l4proto . th dport map @published",
      "fib daddr type local dnat ip to meta l4proto . th dport map @everywhere",
    ]);
    const arriving = "type nat hook prerouting priority dstnat; policy accept;";
    expect(await rulesOf("arriving", {})).toEqual([arriving, "jump publish"]);
    expect(await rulesOf("local", {})).toEqual(["type nat hook output priority -100; policy accept;", "jump publish"]);
  });

  test("are the same for IPv6, where packets for ::1 are led nowhere", async () => {
    const both = { ipv6Subnet: "fd00:31::/64", ipv6Gateway: "fd00:31::1" };
    expect(await rulesOf("publish", both, "ip6 coracle-abababababab")).toEqual([
      "ip6 daddr ::1 return",
      "dnat ip6 to ip6 daddr . meta l4proto . th dport map @published",
      "fib daddr type local dnat ip6 to meta l4proto . th dport map @everywhere",
    ]);
    const leaving = await rulesOf("leaving", both, "ip6 coracle-abababababab");
    expect(leaving[1]).toBe(`ip6 saddr fd00:31::/64 oifname != "br0" oifname != "lo" masquerade`);
    const chosen = await rulesOf("leaving", { ...both, ipv6SourceAddress: "2001:db8::7" }, "ip6 coracle-abababababab");
    expect(chosen[1]).toMatch(/ snat to 2001:db8::7$/);
    const routed = await rulesOf("entering", { ...both, ipv6GatewayMode: "routed" }, "ip6 coracle-abababababab");
    expect(routed).toContain(`iifname != "br0" meta l4proto 58 accept`);
  });

  test("made anew keep published ports or remove them", async () => {
    const element = "172.31.0.1 . 6 . 80 : 172.31.0.2 . 8080";
    await makeTables(kernel, bridge, false);
    await nft("add", "element", ...TABLE.split(" "), "published", `{ ${element} }`);
    const published = () => nft("--numeric", "list", "map", ...TABLE.split(" "), "published");
    expect(await published()).toContain(element);
    await makeTables(kernel, bridge, true);
    expect(await published()).toContain(element);
    await makeTables(kernel, bridge, false);
    expect(await published()).not.toContain(element);
  });

  test("of IPv4 go with the network also where the kernel has none for IPv6", async () => {
    const both = { ...bridge, ipv6Subnet: "fd00:31::/64", ipv6Gateway: "fd00:31::1" };
    await makeTables(kernel, both, false);
    const without: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      async netlink(fd: number, requests: Uint8Array) {
        return namesIpv6(requests) ? [unsupported()] : libc.netlink(fd, requests);
      },
    });
    await removeTables(without, both);
    expect(await nft("list", "tables")).toBe(`table ip6 coracle-abababababab\n`);
    await removeTables(kernel, both);
  });

  test("take the place of those that nft has made, and go with the network", async () => {
    await removeTables(kernel, { ...bridge, ipv6Subnet: "fd00:31::/64" });
    expect(await nft("list", "ruleset")).not.toContain("coracle-");
    await removeTables(kernel, bridge);
    const address = "ipv4_addr . inet_proto . inet_service";
    await nft("add", "table", ...TABLE.split(" "));
    await nft("add", "map", ...TABLE.split(" "), "published", `{ type ${address} : ipv4_addr . inet_service ; }`);
    await nft("add", "set", ...TABLE.split(" "), "opened", `{ type ${address} ; }`);
    await nft("add", "chain", ...TABLE.split(" "), "entering", "{ type filter hook forward priority filter ; }");
    expect(await entering({ connectsContainers: false })).toHaveLength(4);
    await removeTables(kernel, bridge);
    expect(await nft("list", "ruleset")).not.toContain("coracle-");
  });
});

/** Whether one of the messages is about a table of IPv6: its family comes behind its header. */
function namesIpv6(messages: Uint8Array): boolean {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.length);
  for (let at = 0; at < messages.length; at += view.getUint32(at, true)) if (messages[at + HEADER] === 10) return true;
  return false;
}

/** The kernel's answer EOPNOTSUPP to the second message of a transaction. */
function unsupported(): Uint8Array {
  return Buffer.from(new Int32Array([HEADER + 4, 2, 1, 0, -95]).buffer);
}

/** Bytes of struct nlmsghdr. */
const HEADER = 16;
