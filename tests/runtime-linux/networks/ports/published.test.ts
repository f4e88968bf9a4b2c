// Published ports in the kernel's packet filter: they go with their container, whatever stands beside them, and a repair
// of their network neither loses one nor brings one back. Needs root.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import type { Kernel } from "../../../../runtime-linux/kernel.js";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { enterNamespace, makeNamespace, releaseNamespace } from "../../../../runtime-linux/networks/namespace.js";
import { elementsOf } from "../../../../runtime-linux/networks/ports/port-elements.js";
import { lastForEachKey, withoutTwins } from "../../../../runtime-linux/networks/rules/elements.js";
import { Rules } from "../../../../runtime-linux/networks/rules/rules.js";
import { must } from "../../../support/commands.js";
import { describeUnless } from "../../../support/on-engines.js";
import { bridge, missing } from "../bridge.js";

const TABLE = "coracle";
/** That of an earlier version. */
const EARLIER_TABLE = "coracle-abababababab";
const both: networks.Bridge = { ...bridge, ipv6Subnet: "fd00:31::/64", ipv6Gateway: "fd00:31::1" };

describeUnless(missing, "published ports", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-published-"));
  const namespace = join(root, "ns");
  /** Its sockets are in the namespace. */
  const kernel: Kernel = Object.assign(Object.create(libc) as Kernel, {
    openNetlink: (protocol: number) => enterNamespace(libc, namespace, () => libc.openNetlink(protocol)),
  });

  const rules = new Rules(kernel, TABLE);
  const publish = (join: networks.Join): Promise<void> => rules.publish(lastForEachKey(elementsOf(join)));
  const unpublish = (join: networks.Join): Promise<void> => rules.unpublish(withoutTwins(elementsOf(join)));
  const publishOnly = (made: networks.Bridge, joins: networks.Join[]): Promise<void> =>
    rules.make(made, () => lastForEachKey(joins.flatMap(elementsOf)));

  beforeAll(async () => {
    await makeNamespace(libc, namespace);
  });

  beforeEach(async () => {
    await publishOnly(both, []);
  });

  afterEach(async () => {
    await rules.remove(both);
  });

  afterAll(async () => {
    await rules.close();
    await releaseNamespace(libc, namespace);
    rmSync(root, { recursive: true });
  });

  test("of a routed network, two that lead to one of the container go with it", async () => {
    const made = { ...bridge, gatewayMode: "routed" };
    const ports = [port(0, 80), port(0, 80), port(0, 81)];
    await publish(joinOf(made, 2, ports));
    expect(await elements("opened")).toEqual(["172.31.0.2 . 6 . 80", "172.31.0.2 . 6 . 81"]);
    await unpublish(joinOf(made, 2, ports));
    expect(await elements("opened")).toEqual([]);
  });

  test("of a network that trusts interfaces, two that lead to one of the container go with it", async () => {
    const made = { ...bridge, trustedInterfaces: ["lan0"] };
    const ports = [port(8080, 80), port(8081, 80)];
    await publish(joinOf(made, 2, ports));
    expect(await elements("everywhere")).toHaveLength(2);
    await unpublish(joinOf(made, 2, ports));
    for (const set of ["everywhere", "opened"]) expect(await elements(set)).toEqual([]);
  });

  test("in a record that has each of them twice, or with another target, go with the container", async () => {
    await publish(joinOf(bridge, 2, [port(8080, 80), port(8081, 81)]));
    await unpublish(joinOf(bridge, 2, [port(8080, 80), port(8081, 81), port(8080, 80), port(8081, 82)]));
    expect(await elements("everywhere")).toEqual([]);
    const twice = joinOf(bridge, 2, [port(8080, 80), port(8080, 81)]);
    await publishOnly(bridge, [twice]);
    expect(await elements("everywhere")).toEqual(["6 . 8080 : 172.31.0.2 . 81"]);
    await unpublish(twice);
    expect(await elements("everywhere")).toEqual([]);
  });

  test("that another container has taken over stay its own, and the rest go", async () => {
    const [first, second] = [joinOf(bridge, 2, [port(8080, 80), port(8081, 80)]), joinOf(bridge, 3, [port(8080, 80)])];
    await publish(first);
    await publish(second);
    const taken = ["6 . 8080 : 172.31.0.3 . 80", "6 . 8081 : 172.31.0.2 . 80"];
    expect(await elements("everywhere")).toEqual(taken);
    await unpublish(first);
    expect(await elements("everywhere")).toEqual(taken.slice(0, 1));
  });

  test("go, too, if somebody else has removed a set of theirs, or one of them", async () => {
    const made = { ...bridge, trustedInterfaces: ["lan0"] };
    const own = joinOf(made, 2, [port(8080, 80), port(8081, 81)]);
    await publish(own);
    await nft("delete", "set", "ip", TABLE, "opened");
    await nft("delete", "element", "ip", TABLE, "everywhere", "{ tcp . 8080 }");
    await unpublish(own);
    expect(await elements("everywhere")).toEqual([]);
  });

  test("may be a thousand with IPv6 addresses, and several thousand in one transaction", async () => {
    const thousand = joinOf(both, 2, manyPorts("2001:db8::1", 1000));
    await publish(thousand);
    expect(await elements("published", "ip6")).toHaveLength(1000);
    await unpublish(thousand);
    expect(await elements("published", "ip6")).toEqual([]);
    let transactions = 0;
    const counting: Kernel = Object.assign(Object.create(kernel) as Kernel, {
      netlink: (fd: number, requests: Uint8Array) => {
        if (requests[4] === NFNL_MSG_BATCH_BEGIN && requests[5] === 0) transactions++;
        return libc.netlink(fd, requests);
      },
    });
    const many = elementsOf(joinOf(both, 2, manyPorts("2001:db8::1", 4001)));
    const counted = new Rules(counting, TABLE);
    await counted.make({ ...both, subnet: "" }, () => many);
    await counted.close();
    expect(transactions).toBe(1);
    expect(await elements("published", "ip6")).toHaveLength(4001);
  });

  test("go from a table that a version made which still asked the program nft", async () => {
    await rules.remove(both);
    await must(["nsenter", `--net=${namespace}`, "nft", "-f", "-"], { input: EARLIER });
    const [kept, gone] = [joinOf(bridge, 2, [port(8080, 80)]), joinOf(bridge, 3, [port(8081, 81, "192.0.2.1")])];
    await publishOnly(bridge, [kept]);
    expect(await elements("everywhere")).toEqual(["6 . 8080 : 172.31.0.2 . 80"]);
    expect(await nft("list", "tables")).toBe(`table ip ${TABLE}\n`);
    expect(await elements("published")).toEqual([]);
    await unpublish(gone);
    await publish(kept);
    await unpublish(kept);
    expect(await elements("everywhere")).toEqual([]);
  });

  function nft(...args: string[]): Promise<string> {
    return must(["nsenter", `--net=${namespace}`, "nft", "--numeric", ...args]);
  }

  /** Elements of a set or a map, as nft tells them. */
  async function elements(set: string, family = "ip"): Promise<string[]> {
    const listed = await nft("list", set === "opened" ? "set" : "map", family, TABLE, set);
    const [, inside = ""] = /elements = \{([^}]*)\}/.exec(listed) ?? [];
    const all = inside.split(",").map((element) => element.trim().replace(/\s+/g, " "));
    return all.filter((element) => element !== "").sort();
  }
});

function port(hostPort: number, containerPort: number, hostAddress = "0.0.0.0"): networks.PortMapping {
  return { hostAddress, hostPort, containerPort, protocol: "tcp" };
}

function manyPorts(hostAddress: string, count: number): networks.PortMapping[] {
  return Array.from({ length: count }, (_, at) => port(10_000 + at, 80, hostAddress));
}

function joinOf(made: networks.Bridge, last: number, ports: networks.PortMapping[]): networks.Join {
  return {
    ...{ container: `${last}`.repeat(64), containerName: "web", bridge: made, interfaceName: "eth0" },
    ...{ address: `172.31.0.${last}`, ipv6Address: made.ipv6Subnet === "" ? "" : `fd00:31::${last}` },
    ...{ gateway: made.gateway, ipv6Gateway: made.ipv6Gateway, mac: `02:42:ac:1f:00:0${last}` },
    ...{ ports, linkLocal: [], sysctls: [] },
  };
}

const NFNL_MSG_BATCH_BEGIN = 16;

/** The whole table, and two published ports. */
const EARLIER = `
add table ip ${EARLIER_TABLE}
add map ip ${EARLIER_TABLE} published { type ipv4_addr . inet_proto . inet_service : ipv4_addr . inet_service ; }
add map ip ${EARLIER_TABLE} everywhere { type inet_proto . inet_service : ipv4_addr . inet_service ; }
add set ip ${EARLIER_TABLE} opened { type ipv4_addr . inet_proto . inet_service ; }
add chain ip ${EARLIER_TABLE} guard { type filter hook prerouting priority raw ; }
add rule ip ${EARLIER_TABLE} guard iifname != "lo" ip daddr 127.0.0.0/8 drop
add chain ip ${EARLIER_TABLE} publish
add rule ip ${EARLIER_TABLE} publish dnat to ip daddr . meta l4proto . th dport map @published
add rule ip ${EARLIER_TABLE} publish fib daddr type local dnat to meta l4proto . th dport map @everywhere
add chain ip ${EARLIER_TABLE} arriving { type nat hook prerouting priority dstnat ; }
add rule ip ${EARLIER_TABLE} arriving jump publish
add chain ip ${EARLIER_TABLE} local { type nat hook output priority -100 ; }
add rule ip ${EARLIER_TABLE} local jump publish
add chain ip ${EARLIER_TABLE} leaving { type nat hook postrouting priority srcnat ; }
add rule ip ${EARLIER_TABLE} leaving ip saddr 172.31.0.0/16 oifname != { "crc0", "lo" } masquerade
add rule ip ${EARLIER_TABLE} leaving oifname "crc0" ip saddr { 172.31.0.0/16, 127.0.0.0/8 } ct status dnat masquerade
add chain ip ${EARLIER_TABLE} entering { type filter hook forward priority filter ; }
add rule ip ${EARLIER_TABLE} entering oifname != "crc0" accept
add rule ip ${EARLIER_TABLE} entering iifname "crc0" accept
add rule ip ${EARLIER_TABLE} entering ct state established,related accept
add rule ip ${EARLIER_TABLE} entering ct status dnat accept
add rule ip ${EARLIER_TABLE} entering drop
add element ip ${EARLIER_TABLE} everywhere { tcp . 8080 : 172.31.0.2 . 80 }
add element ip ${EARLIER_TABLE} published { 192.0.2.1 . tcp . 8081 : 172.31.0.3 . 81 }
`;
