// The firewall rules of a network, as the program nft reads them from the kernel: which packets the machine forwards to
// it and from it, and which addresses it translates. Needs root.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import type { PlacedElement } from "../../../../runtime-linux/networks/rules/elements.js";
import type { Kernel } from "../../../../runtime-linux/kernel.js";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { Rules } from "../../../../runtime-linux/networks/rules/rules.js";
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
const TABLE = "ip coracle";
const TABLE_LISTED = "table ip coracle";
const ID = "abababababab";
const IPV6 = { ipv6Subnet: "fd00:31::/64", ipv6Gateway: "fd00:31::1" };
/** Of `next(1)`. */
const OTHER_ID = "010101010101";
const ANSWERS = "ct state established,related accept";
const PUBLISHED = "ct status dnat accept";

describeUnless(missing, "rules of a network", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-rules-"));
  const namespace = join(root, "ns");
  /** Its sockets are in the namespace. */
  const kernel: Kernel = Object.assign(Object.create(libc) as Kernel, {
    openNetlink: (protocol: number) => enterNamespace(libc, namespace, () => libc.openNetlink(protocol)),
  });

  const rules = new Rules(kernel, "coracle");
  const make = (made: networks.Bridge): Promise<void> => rules.make(made, () => []);

  beforeAll(async () => {
    await makeNamespace(libc, namespace);
  });

  afterEach(async () => {
    await rules.remove({ ...bridge, ipv6Subnet: "fd00:31::/64" });
    expect(await nft("list", "ruleset")).toBe("");
  });

  afterAll(async () => {
    await rules.close();
    await releaseNamespace(libc, namespace);
    rmSync(root, { recursive: true });
  });

  function nft(...args: string[]): Promise<string> {
    return must(["nsenter", `--net=${namespace}`, "nft", ...args]);
  }

  async function listed(chain: string, table = TABLE): Promise<string[]> {
    const told = await nft("--numeric-protocol", "list", "chain", ...table.split(" "), chain);
    return told.split("\n").flatMap((line) => (line.startsWith("\t\t") ? [line.trim()] : []));
  }

  /** The rules of one of the network's own chains. */
  async function rulesOf(chain: string, more: Partial<networks.Bridge>, table = TABLE): Promise<string[]> {
    await make({ ...bridge, ...more });
    return listed(`${chain}-${ID}`, table);
  }

  test("let a network's packets go anywhere, and answers and published ports in", async () => {
    expect(await rulesOf("inward", {})).toEqual([`iifname "br0" accept`, ANSWERS, PUBLISHED, "drop"]);
    expect(await rulesOf("outward", {})).toEqual([]);
  });

  test("let packets back to a bridge without connections only as others", async () => {
    expect(await rulesOf("inward", { connectsContainers: false })).toEqual([ANSWERS, PUBLISHED, "drop"]);
  });

  test("let nothing out of an internal network or into it, but packets from its bridge back to it", async () => {
    expect(await rulesOf("outward", { internal: true })).toEqual([`oifname != "br0" drop`]);
    expect(await rulesOf("inward", { internal: true })).toEqual([`iifname "br0" accept`, "drop"]);
    const apart = await rulesOf("inward", { internal: true, connectsContainers: false });
    expect(apart).toEqual([`iifname "br0" ${ANSWERS}`, `iifname "br0" ${PUBLISHED}`, "drop"]);
  });

  test("let in all, or ICMP and opened ports, as the gateway mode says", async () => {
    const before = [`iifname "br0" accept`, ANSWERS, PUBLISHED];
    const all = [...before, `iifname != "br0" accept`, "drop"];
    expect(await rulesOf("inward", { gatewayMode: "nat-unprotected" })).toEqual(all);
    const opened = "ip daddr . meta l4proto . th dport @opened accept";
    const routed = [...before, `iifname != "br0" meta l4proto 1 accept`, opened, "drop"];
    expect(await rulesOf("inward", { gatewayMode: "routed" })).toEqual(routed);
    const trusting = await rulesOf("inward", { trustedInterfaces: ["lan0", "lan1"] });
    expect(trusting).toEqual([...before, `iifname "lan0" ${opened}`, `iifname "lan1" ${opened}`, "drop"]);
  });

  test("let in opened ports from any number of trusted interfaces", async () => {
    const many = Array.from({ length: 300 }, (_, at) => `lan${at}`);
    expect(await rulesOf("inward", { trustedInterfaces: many })).toHaveLength(304);
  });

  test("hide senders behind the machine, but not those of a routed network", async () => {
    const back = `oifname "br0" ct status dnat masquerade`;
    const away = `oifname != "br0" oifname != "lo" masquerade`;
    expect(await rulesOf("leaving", {})).toEqual([away, back]);
    expect(await rulesOf("leaving", { masquerades: false })).toEqual([back]);
    expect(await rulesOf("leaving", { gatewayMode: "routed" })).toEqual([back]);
    const chosen = await rulesOf("leaving", { sourceAddress: "192.0.2.7" });
    expect(chosen).toEqual([away.replace("masquerade", "snat to 192.0.2.7"), back]);
  });

  test("keep others from the machine's loopback, and lead published ports", async () => {
    await make(bridge);
    expect(await listed("guard")).toEqual([
      "type filter hook prerouting priority raw; policy accept;",
      'iifname != "lo" ip daddr 127.0.0.0/8 drop',
    ]);
    expect(await listed("publish")).toEqual([
      "dnat ip to ip daddr . meta l4proto . th dport map @published",
      "fib daddr type local dnat ip to meta l4proto . th dport map @everywhere",
    ]);
    const arriving = "type nat hook prerouting priority dstnat; policy accept;";
    expect(await listed("arriving")).toEqual([arriving, "jump publish"]);
    expect(await listed("local")).toEqual(["type nat hook output priority -100; policy accept;", "jump publish"]);
  });

  test("are found by a packet's interfaces and by the subnet of its sender", async () => {
    await make(bridge);
    await make(next(1));
    expect(await listed("passing")).toEqual([
      "type filter hook forward priority filter; policy accept;",
      "iifname vmap @outward",
      "oifname vmap @inward",
    ]);
    expect(await listed("leaving")).toEqual([
      "type nat hook postrouting priority srcnat; policy accept;",
      "ip saddr vmap @senders",
      "ip saddr 127.0.0.0/8 oifname @bridges ct status dnat masquerade",
    ]);
    expect(await elements("set", "bridges")).toEqual([`"br0"`, `"br1"`]);
    expect(await elements("map", "inward")).toEqual([`"br0" : jump inward-${ID}`, `"br1" : jump inward-${OTHER_ID}`]);
    expect(await elements("map", "outward")).toEqual([
      `"br0" : jump outward-${ID}`,
      `"br1" : jump outward-${OTHER_ID}`,
    ]);
    // They are neighbours: one ends where the other begins.
    const subnets = [`172.31.0.0/16 : jump leaving-${ID}`, `172.32.0.0/16 : jump leaving-${OTHER_ID}`];
    expect(await elements("map", "senders")).toEqual(subnets);
    await rules.remove(bridge);
    expect(await elements("map", "senders")).toEqual(subnets.slice(1));
    expect(await nft("list", "ruleset")).not.toContain(ID);
    await rules.remove(next(1));
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("take no longer way for many networks than for one", async () => {
    const many = Array.from({ length: 50 }, (_, at) => next(at + 1));
    await make(many[0]!);
    const hooked = await hookedRules();
    expect(hooked).toHaveLength(5);
    for (const made of many) await make(made);
    expect(await hookedRules()).toEqual(hooked);
    for (const made of many) await rules.remove(made);
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("can be loaded again as nft lists them", async () => {
    await make({ ...bridge, ...IPV6 });
    const before = await nft("list", "ruleset");
    await nft("flush", "ruleset");
    await must(["nsenter", `--net=${namespace}`, "nft", "-f", "-"], { input: before });
    expect(await nft("list", "ruleset")).toBe(before);
    await make({ ...bridge, ...IPV6 });
    await rules.remove({ ...bridge, ...IPV6 });
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("of a bridge that another network had are the next network's, and stay when the first goes", async () => {
    const taking = { ...next(1), interfaceName: bridge.interfaceName };
    await make(bridge);
    await make(taking);
    const inward = [`"br0" : jump inward-${OTHER_ID}`];
    expect(await elements("map", "inward")).toEqual(inward);
    await rules.remove(bridge);
    expect(await elements("map", "inward")).toEqual(inward);
    expect(await elements("set", "bridges")).toEqual([`"br0"`]);
    expect(await nft("list", "ruleset")).not.toContain(ID);
    await rules.remove(taking);
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("are the same for IPv6, where packets for ::1 are led nowhere", async () => {
    const leaving = await rulesOf("leaving", IPV6, "ip6 coracle");
    expect(leaving[0]).toBe(`oifname != "br0" oifname != "lo" masquerade`);
    expect(await elements("map", "senders", "ip6 coracle")).toEqual([`fd00:31::/64 : jump leaving-${ID}`]);
    expect(await listed("publish", "ip6 coracle")).toEqual([
      "ip6 daddr ::1 return",
      "dnat ip6 to ip6 daddr . meta l4proto . th dport map @published",
      "fib daddr type local dnat ip6 to meta l4proto . th dport map @everywhere",
    ]);
    const chosen = await rulesOf("leaving", { ...IPV6, ipv6SourceAddress: "2001:db8::7" }, "ip6 coracle");
    expect(chosen[0]).toMatch(/ snat to 2001:db8::7$/);
    const routed = await rulesOf("inward", { ...IPV6, ipv6GatewayMode: "routed" }, "ip6 coracle");
    expect(routed).toContain(`iifname != "br0" meta l4proto 58 accept`);
  });

  test("made anew keep the published ports of containers there are, and no others", async () => {
    const own = { key: Buffer.from([6, 0, 0, 0, 0x1f, 0x90, 0, 0]), value: Buffer.from([172, 31, 0, 2, 0, 80, 0, 0]) };
    const port: PlacedElement = { family: "ip", set: "everywhere", ...own };
    await rules.make(bridge, () => [port]);
    const lead = (element: string): Promise<string> =>
      nft("add", "element", ...TABLE.split(" "), "everywhere", element);
    await lead("{ tcp . 8081 : 172.31.0.3 . 80 }");
    // Another network's.
    await lead("{ tcp . 8082 : 172.30.0.3 . 80 }");
    await rules.make(bridge, () => [port]);
    expect(await elements("map", "everywhere")).toEqual(["6 . 8080 : 172.31.0.2 . 80", "6 . 8082 : 172.30.0.3 . 80"]);
    await make(bridge);
    expect(await elements("map", "everywhere")).toEqual(["6 . 8082 : 172.30.0.3 . 80"]);
  });

  test("of IPv4 go with the network also where the kernel has none for IPv6", async () => {
    const both = { ...bridge, ...IPV6 };
    await make(both);
    const without: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      async netlink(fd: number, requests: Uint8Array) {
        return namesIpv6(requests) ? [unsupported()] : libc.netlink(fd, requests);
      },
    });
    const others = new Rules(without, "coracle");
    await others.remove(both);
    await others.close();
    expect(await nft("list", "tables")).toBe(`table ip6 coracle\n`);
    await rules.remove(both);
  });

  test("go with the network whatever is missing", async () => {
    await rules.remove({ ...bridge, ipv6Subnet: "fd00:31::/64" });
    expect(await nft("list", "ruleset")).toBe("");
    for (const made of [bridge, next(1)]) await make(made);
    await nft("flush", "ruleset");
    await rules.remove(bridge);
    expect(await nft("list", "ruleset")).not.toContain(ID);
    await rules.remove(next(1));
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("of networks that the next engine does not know go with its first change, and their ports", async () => {
    await make(next(1));
    await make({ ...next(2), ...IPV6 });
    const lead = (element: string): Promise<string> =>
      nft("add", "element", ...TABLE.split(" "), "everywhere", element);
    await lead("{ tcp . 8081 : 172.32.0.3 . 80 }");
    await lead("{ tcp . 8082 : 172.33.0.3 . 80 }");
    const nextEngine = new Rules(kernel, "coracle");
    const target = Buffer.from([172, 32, 0, 3, 0, 80, 0, 0]);
    const kept: PlacedElement = { family: "ip", set: "everywhere", key: portKey(8081), value: target };
    nextEngine.expect(next(1), () => [kept]);
    // The addresses and the interface of a network that is gone.
    const made = { ...bridge, interfaceName: "br2", subnet: "172.33.0.0/24" };
    await nextEngine.make(made, () => []);
    expect(await nft("list", "table", ...TABLE.split(" "))).not.toContain("020202020202");
    const inward = [`"br1" : jump inward-${OTHER_ID}`, `"br2" : jump inward-${ID}`];
    expect(await elements("map", "inward")).toEqual(inward);
    const senders = [`172.32.0.0/16 : jump leaving-${OTHER_ID}`, `172.33.0.0/24 : jump leaving-${ID}`];
    expect(await elements("map", "senders")).toEqual(senders);
    expect(await elements("map", "everywhere")).toEqual(["6 . 8081 : 172.32.0.3 . 80"]);
    expect(await listed(`inward-${OTHER_ID}`)).toHaveLength(4);
    for (const one of [made, next(1)]) await nextEngine.remove(one);
    await nextEngine.close();
    for (const one of [next(1), { ...next(2), ...IPV6 }]) await rules.remove(one);
  });

  test("of a thousand networks stay with the next engine, and those of one that it does not know go", async () => {
    const many = Array.from({ length: 1000 }, (_, at) => small(at));
    await make({ ...next(1), ...IPV6 });
    const nextEngine = new Rules(kernel, "coracle");
    for (const made of many) nextEngine.expect(made, () => []);
    await nextEngine.make(many[0]!, () => []);
    expect(await elements("map", "senders")).toHaveLength(1000);
    expect(await elements("map", "senders", "ip6 coracle")).toHaveLength(1000);
    expect(await nft("list", "ruleset")).not.toContain(OTHER_ID);
    await nft("flush", "ruleset");
    await nextEngine.close();
    await rules.remove({ ...next(1), ...IPV6 });
  });

  test("are compared by look-up, however many networks and ports the next engine finds", async () => {
    const many = Array.from({ length: 1000 }, (_, at) => small(at));
    await rules.make(bridge, () => many.map(portTo));
    const nextEngine = new Rules(kernel, "coracle");
    for (const [at, made] of many.entries()) if (at > 0) nextEngine.expect(made, () => [portTo(made, at)]);
    const before = process.cpuUsage();
    await nextEngine.make(bridge, () => []);
    const { user } = process.cpuUsage(before);
    expect(await elements("map", "everywhere")).toHaveLength(999);
    // Each with each would be a million comparisons, which take seconds.
    expect(user).toBeLessThan(1_000_000);
    await nft("flush", "ruleset");
    await nextEngine.close();
  });

  test("are made without a list of all ports, unless they have been made before or a change has failed", async () => {
    let lists = 0;
    const counting: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      netlink(fd: number, requests: Uint8Array) {
        if (isList(requests)) lists += 1;
        return libc.netlink(fd, requests);
      },
    });
    const others = new Rules(counting, "coracle");
    const listsOf = async (change: Promise<unknown>): Promise<number> => {
      const before = lists;
      await change.catch(() => {});
      return lists - before;
    };
    const makeOne = (made: networks.Bridge): Promise<void> => others.make(made, () => []);
    others.expect(next(1), () => []);
    // The first change of a table lists its chains, too.
    expect(await listsOf(makeOne(bridge))).toBe(4);
    expect(await listsOf(makeOne(next(1)))).toBe(0);
    expect(await listsOf(makeOne(next(2)))).toBe(0);
    expect(await listsOf(makeOne(next(2)))).toBe(3);
    expect(await listsOf(others.remove(next(2)))).toBe(0);
    expect(await listsOf(others.publish([{ family: "ip", set: "everywhere", key: Buffer.alloc(3) }]))).toBe(0);
    expect(await listsOf(makeOne(next(2)))).toBe(4);
    for (const made of [bridge, next(1), next(2)]) await others.remove(made);
    await others.close();
  });

  test("go with the ports of the network, without a list of all ports", async () => {
    await make(bridge);
    await rules.make(next(1), () => [portTo(next(1), 1), portTo(next(1), 2)]);
    await rules.publish([portTo(bridge, 3)]);
    await rules.remove(next(1));
    expect(await elements("map", "everywhere")).toEqual(["6 . 20003 : 172.31.0.2 . 80"]);
  });

  test("come back in one transaction, all of them with their ports, before the next engine makes any", async () => {
    const all = [bridge, { ...next(1), ...IPV6, connectsContainers: false }, { ...next(2), internal: true }];
    for (const [at, made] of all.entries()) await rules.make(made, () => [portTo(made, at)]);
    const before = await tables();
    let changes = 0;
    const counting: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      netlink(fd: number, requests: Uint8Array) {
        if (isTransaction(requests)) changes += 1;
        return libc.netlink(fd, requests);
      },
    });
    const nextEngine = new Rules(counting, "coracle");
    for (const [at, made] of all.entries()) nextEngine.expect(made, () => [portTo(made, at)]);
    const losses = [
      ["flush", "ruleset"],
      ["flush", "table", ...TABLE.split(" ")],
      ["flush", "chain", ...TABLE.split(" "), `inward-${ID}`],
      ["flush", "map", ...TABLE.split(" "), "outward"],
      ["delete", "table", "ip6", "coracle"],
    ];
    for (const loss of losses) {
      await nft(...loss);
      expect(await tables()).not.toEqual(before);
      changes = 0;
      await nextEngine.restore();
      expect([loss, await tables()]).toEqual([loss, before]);
      expect([loss, changes]).toEqual([loss, loss[1] === "ruleset" ? 2 : 1]);
    }
    changes = 0;
    await nextEngine.restore();
    expect(changes).toBe(0);
    await nextEngine.close();
    for (const made of all) await rules.remove(made);
  });

  test("are looked for before the next engine makes any, by one list for each family", async () => {
    let bytes = 0;
    const counting: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      netlink(fd: number, requests: Uint8Array) {
        bytes += requests.length;
        return libc.netlink(fd, requests);
      },
    });
    const nextEngine = new Rules(counting, "coracle");
    const asked: number[] = [];
    const all = [bridge, next(1), next(2)];
    for (const made of all) {
      await make(made);
      nextEngine.expect(made, () => []);
      bytes = 0;
      await nextEngine.restore();
      asked.push(bytes);
    }
    expect(new Set(asked)).toEqual(new Set([20]));
    await nextEngine.close();
    for (const made of all) await rules.remove(made);
  });

  test("go for good if an earlier change of the same network has not ended yet", async () => {
    await Promise.all([make(bridge), rules.remove(bridge)]);
    expect(await nft("list", "ruleset")).toBe("");
  });

  test("are asked for on another socket after answers that could not be read", async () => {
    let opened = 0;
    let fails = true;
    const failing: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      openNetlink(protocol: number) {
        opened += 1;
        return kernel.openNetlink(protocol);
      },
      async netlink(fd: number, requests: Uint8Array) {
        if (!fails) return libc.netlink(fd, requests);
        fails = false;
        throw Object.assign(new Error("ENOBUFS: recv"), { code: "ENOBUFS", syscall: "recv" });
      },
    });
    const others = new Rules(failing, "coracle");
    await expect(others.make(bridge, () => [])).rejects.toThrow("ENOBUFS");
    await others.make(bridge, () => []);
    // A refusal is an answer: the socket stays.
    const wrong: PlacedElement = { family: "ip", set: "everywhere", key: Buffer.alloc(3) };
    await expect(others.publish([wrong])).rejects.toThrow("EINVAL");
    await others.remove(bridge);
    expect(opened).toBe(2);
    await others.close();
  });

  test("that all networks share come back with the next network if somebody has flushed them", async () => {
    await make(bridge);
    const before = await hookedRules();
    for (const flushed of [
      ["table", ...TABLE.split(" ")],
      ["chain", ...TABLE.split(" "), "guard"],
    ]) {
      await nft("flush", ...flushed);
      await make(next(1));
      expect(await hookedRules()).toEqual(before);
    }
    await rules.remove(next(1));
  });

  test("take the place of a network's own table, which an earlier version made", async () => {
    const earlier = `table ip coracle-${ID}`;
    const chain = ["chain", "ip", `coracle-${ID}`, "entering", "{ type filter hook forward priority filter ; }"];
    await nft("add", ...earlier.split(" "));
    await nft("add", ...chain);
    await make(bridge);
    expect(await nft("list", "tables")).toBe(`${TABLE_LISTED}\n`);
    await nft("add", ...earlier.split(" "));
    await rules.remove(bridge);
    expect(await nft("list", "ruleset")).toBe("");
  });

  /** All that nft tells of both tables, without the kernel's numbers and in an order of its own. */
  async function tables(): Promise<string[]> {
    const { nftables } = JSON.parse(await nft("-j", "list", "ruleset")) as { nftables: object[] };
    return nftables.map((object) => JSON.stringify(object, comparable)).sort();
  }

  /** The chains in which packets begin, and their rules. */
  async function hookedRules(): Promise<unknown[]> {
    const { nftables } = JSON.parse(await nft("-j", "list", "ruleset")) as { nftables: NftObject[] };
    const hooked = nftables.flatMap(({ chain }) => (chain?.hook === undefined ? [] : [chain]));
    return hooked.map(({ name, hook }) => {
      const own = nftables.flatMap(({ rule }) => (rule?.chain === name ? [rule.expr] : []));
      return { name, hook, own };
    });
  }

  /** Elements of a set or a map, as nft tells them. */
  async function elements(kind: "set" | "map", name: string, table = TABLE): Promise<string[]> {
    const told = await nft("--numeric", "list", kind, ...table.split(" "), name);
    const [, inside = ""] = /elements = \{([^}]*)\}/.exec(told) ?? [];
    const all = inside.split(",").map((element) => element.trim().replace(/\s+/g, " "));
    return all.filter((element) => element !== "").sort();
  }
});

interface NftObject {
  chain?: { name: string; hook?: string };
  rule?: { chain: string; expr: unknown };
}

/** Another network, whose subnet is behind that of `bridge`. */
function next(at: number): networks.Bridge {
  const network = at.toString(16).padStart(2, "0").repeat(32);
  const subnet = `172.${31 + at}.0.0/16`;
  return { ...bridge, network, interfaceName: `br${at}`, subnet, gateway: subnet.replace("0.0/16", "0.1") };
}

/** One of many networks. */
function small(at: number): networks.Bridge {
  const network = `5${at.toString(16).padStart(11, "0")}`.padEnd(64, "0");
  const [subnet, ipv6] = [`10.${at >> 8}.${at & 255}`, `fd00:32:0:${at.toString(16)}::`];
  const ipv6Place = { ipv6Subnet: `${ipv6}/64`, ipv6Gateway: `${ipv6}1` };
  return {
    ...bridge,
    network,
    interfaceName: `small${at}`,
    subnet: `${subnet}.0/24`,
    gateway: `${subnet}.1`,
    ...ipv6Place,
  };
}

/** Leads a port of the machine to the network's first container. */
function portTo(made: networks.Bridge, at: number): PlacedElement {
  const address = made.gateway.split(".").map(Number);
  const value = Buffer.from([...address.slice(0, 3), 2, 0, 80, 0, 0]);
  return { family: "ip", set: "everywhere", key: portKey(20_000 + at), value };
}

/** A port of TCP as the key of an element. */
function portKey(port: number): Uint8Array {
  return Buffer.from([6, 0, 0, 0, port >> 8, port & 0xff, 0, 0]);
}

/** Whether one of the messages is about a table of IPv6: its family comes behind its header. */
function namesIpv6(messages: Uint8Array): boolean {
  const view = new DataView(messages.buffer, messages.byteOffset, messages.length);
  for (let at = 0; at < messages.length; at += view.getUint32(at, true)) if (messages[at + HEADER] === 10) return true;
  return false;
}

/** For JSON: a table gets another number when it is made anew, and the elements of a set have no order. */
function comparable(key: string, value: unknown): unknown {
  if (key === "handle") return undefined;
  return key === "elem" ? (value as object[]).map((element) => JSON.stringify(element)).sort() : value;
}

/** Whether it begins a transaction (NFNL_MSG_BATCH_BEGIN). */
function isTransaction(messages: Uint8Array): boolean {
  return new DataView(messages.buffer, messages.byteOffset, messages.length).getUint16(4, true) === 16;
}

/** Whether the first message asks for a list (NLM_F_DUMP). */
function isList(messages: Uint8Array): boolean {
  return (new DataView(messages.buffer, messages.byteOffset, messages.length).getUint16(6, true) & 0x300) === 0x300;
}

/** The kernel's answer EOPNOTSUPP to the first message. */
function unsupported(): Uint8Array {
  return Buffer.from(new Int32Array([HEADER + 4, 2, 0, 0, -95]).buffer);
}

/** Bytes of struct nlmsghdr. */
const HEADER = 16;
