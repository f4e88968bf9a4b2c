// Interfaces of networks: which names and which existing interfaces are refused, that somebody else's bridge is left as it
// was, and what others' firewalls mean for a network. The engine runs in its own network namespace.
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import { CLONE_NEWNET } from "../../../../runtime-linux/kernel.js";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { linuxNetworks, type LinuxNetworks } from "../../../../runtime-linux/networks.js";
import { strangeDrops } from "../../../../runtime-linux/networks/rules/forwarding.js";
import { elementsOf } from "../../../../runtime-linux/networks/ports/port-elements.js";
import { Rules } from "../../../../runtime-linux/networks/rules/rules.js";
import { Paths } from "../../../../runtime-linux/paths.js";
import { must } from "../../../support/commands.js";
import { describeUnless } from "../../../support/on-engines.js";
import { bridge, missing, NETWORK } from "../bridge.js";

describeUnless(missing, "interfaces of networks", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-bridges-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  let home = -1;
  let linux: LinuxNetworks;

  beforeAll(async () => {
    home = openSync("/proc/thread-self/ns/net", "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    await must(["ip", "link", "add", "up0", "type", "veth", "peer", "name", "up1"]);
    linux = linuxNetworks({ kernel: libc, paths });
  });

  afterAll(async () => {
    await linux.close();
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test.each(["*", "crc*", "crc+", "crc%d"])("an interface cannot be named %s, which means other ones", async (name) => {
    const failure = { tag: "malformed", val: { what: "interface-name", text: name } };
    await expect(perform({ tag: "make", val: on(name) })).rejects.toMatchObject({ failure });
    expect(readdirSync(paths.networks("made"))).toEqual([]);
  });

  test("an interface that is no bridge is refused, and stays as it is", async () => {
    const before = [await stateOf("up0"), await must(["nft", "list", "ruleset"])];
    const failure = { tag: "wrong-kind", val: { what: "network-interface", name: "up0" } };
    await expect(perform({ tag: "make", val: on("up0") })).rejects.toMatchObject({ failure });
    await perform({ tag: "drop", val: NETWORK });
    expect([await stateOf("up0"), await must(["nft", "list", "ruleset"])]).toEqual(before);
    expect(readdirSync(paths.networks("made"))).toEqual([]);
  });

  test("somebody else's bridge is used as it is, and loses only what the network has added", async () => {
    const before = await makeLan();
    for (let times = 0; times < 2; times++) {
      await perform({ tag: "make", val: { ...on("lan0"), mtu: 1300 } });
      const used = await stateOf("lan0");
      expect(used).toContain("inet 172.31.0.1/16");
      expect(used.filter((line) => line !== "inet 172.31.0.1/16")).toEqual([...before.slice(0, -1), "1"]);
      await linux.close();
      linux = linuxNetworks({ kernel: libc, paths });
      expect(await linux.networks()).toEqual([NETWORK]);
    }
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("lan0")).toEqual(before);
    await must(["ip", "link", "del", "lan0"]);
  });

  test("an address and a setting that somebody else's bridge had before stay", async () => {
    await makeLan();
    await must(["ip", "addr", "add", "172.31.0.1/16", "dev", "lan0"]);
    writeFileSync("/proc/sys/net/ipv4/conf/lan0/route_localnet", "1");
    const before = await stateOf("lan0");
    await perform({ tag: "make", val: on("lan0") });
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("lan0")).toEqual(before);
    await must(["ip", "link", "del", "lan0"]);
  });

  test("somebody else's bridge gets IPv6 addresses, keeps its settings, and loses only those addresses", async () => {
    const before = await makeLan();
    await perform({ tag: "make", val: both("lan0") });
    const used = await stateOf("lan0");
    const added = ["inet 172.31.0.1/16", "inet6 fd00:31::1/64", "inet6 fe80::1/64"];
    expect(used).toEqual(expect.arrayContaining(added));
    expect(used.filter((line) => !added.includes(line))).toEqual([...before.slice(0, -1), "1"]);
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("lan0")).toEqual(before);
    for (const address of ["fd00:31::1/64", "fe80::1/64"]) {
      await must(["ip", "addr", "add", address, "dev", "lan0", "nodad"]);
    }
    const own = await stateOf("lan0");
    await perform({ tag: "make", val: both("lan0") });
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("lan0")).toEqual(own);
    await must(["ip", "link", "del", "lan0"]);
  });

  test("a bridge of ours takes no router's word, and has IPv6 where new interfaces have none", async () => {
    writeFileSync("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    await perform({ tag: "make", val: both("crc0") });
    writeFileSync("/proc/sys/net/ipv6/conf/default/disable_ipv6", "0");
    const addresses = ["inet6 fd00:31::1/64", "inet6 fe80::1/64"];
    expect(await stateOf("crc0")).toEqual(expect.arrayContaining([...addresses, "accept_ra 0"]));
    await perform({ tag: "make", val: bridge });
    expect(await stateOf("crc0")).toContain("accept_ra 0");
    expect(await stateOf("crc0")).not.toContain("inet6 fe80::1/64");
    await perform({ tag: "drop", val: NETWORK });
  });

  test("ports of one family are unpublished when somebody has removed the other family's table", async () => {
    const made = both("crc0");
    const at = (hostAddress: string) => ({ hostAddress, hostPort: 8080, containerPort: 80, protocol: "tcp" });
    const places = { address: "172.31.0.2", ipv6Address: "fd00:31::2" };
    const join: networks.Join = {
      ...{ container: "cd".repeat(32), containerName: "web", bridge: made, interfaceName: "eth0", ...places },
      ...{ gateway: made.gateway, ipv6Gateway: made.ipv6Gateway, mac: "02:42:ac:1f:00:02" },
      ...{ ports: [at("0.0.0.0"), at("::")], linkLocal: [], sysctls: [] },
    };
    const table = paths.filterTable();
    const rules = new Rules(libc, table);
    const map = ["nft", "list", "map", "ip6", table, "everywhere"];
    await perform({ tag: "make", val: made });
    await rules.publish(elementsOf(join));
    expect(await must(map)).toContain("fd00:31::2");
    await must(["nft", "delete", "table", "ip", table]);
    await rules.unpublish(elementsOf(join));
    await rules.close();
    expect(await must(map)).not.toContain("fd00:31::2");
    await perform({ tag: "drop", val: NETWORK });
  });

  test("chains of other firewalls that drop what is forwarded are found, in each family", async () => {
    const hook = "{ type filter hook forward priority 0 ; policy drop ; }";
    const families = ["ip", "ip6", "inet"];
    for (const family of families) {
      await must(["nft", "add", "table", family, "fw"]);
      await must(["nft", `add chain ${family} fw pass ${hook}`]);
    }
    expect((await strangeDrops()).sort()).toEqual(families.map((family) => `${family} fw pass`).sort());
    for (const family of families) await must(["nft", "delete", "table", family, "fw"]);
  });

  test("a bridge that somebody has put in the place of ours stays", async () => {
    await perform({ tag: "make", val: bridge });
    await must(["ip", "link", "del", "crc0"]);
    await must(["ip", "link", "add", "crc0", "address", "02:00:00:00:00:09", "type", "bridge"]);
    const before = await stateOf("crc0");
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("crc0")).toEqual(before);
    await must(["ip", "link", "del", "crc0"]);
  });

  test("without rules, somebody else's bridge keeps its setting, and nft is not needed", async () => {
    await makeLan();
    const wanted = { ...on("lan0"), firewall: false };
    await withoutPrograms(() => perform({ tag: "make", val: wanted }));
    writeFileSync("/proc/sys/net/ipv4/conf/lan0/route_localnet", "1");
    await withoutPrograms(() => perform({ tag: "drop", val: NETWORK }));
    expect((await stateOf("lan0")).at(-1)).toBe("1");
    await must(["ip", "link", "del", "lan0"]);
  });

  test("127.0.0.0/8 is routed to a bridge only behind its rules", async () => {
    // A chain of another kind is in the way.
    const table = ["ip", paths.filterTable()];
    await must(["nft", "add", "table", ...table]);
    await must(["nft", "add", "chain", ...table, "guard", "{ type nat hook prerouting priority 0 ; }"]);
    await expect(perform({ tag: "make", val: bridge })).rejects.toThrow("add chain guard");
    expect((await stateOf("crc0")).at(-1)).toBe("0");
    await must(["nft", "delete", "table", ...table]);
    await perform({ tag: "make", val: bridge });
    expect((await stateOf("crc0")).at(-1)).toBe("1");
    await perform({ tag: "drop", val: NETWORK });
  });

  /** Where no program is found. */
  async function withoutPrograms(act: () => Promise<unknown>): Promise<void> {
    const { PATH } = process.env;
    process.env["PATH"] = root;
    try {
      await act();
    } finally {
      process.env["PATH"] = PATH;
    }
  }

  function perform(command: networks.NetworkCommand): Promise<unknown> {
    return linux.perform(0n, command, () => {});
  }

  /** Makes a bridge `lan0` as another program would, and returns its state. */
  async function makeLan(): Promise<string[]> {
    await must(["ip", "link", "add", "lan0", "address", "02:00:00:00:00:08", "mtu", "1400", "type", "bridge"]);
    await must(["ip", "addr", "add", "10.98.0.1/24", "dev", "lan0"]);
    await must(["ip", "link", "set", "lan0", "up"]);
    return stateOf("lan0");
  }
});

function on(interfaceName: string): networks.Bridge {
  return { ...bridge, interfaceName };
}

/** A network with both families. */
function both(interfaceName: string): networks.Bridge {
  return { ...on(interfaceName), ipv6Subnet: "fd00:31::/64", ipv6Gateway: "fd00:31::1" };
}

/** Everything of an interface that a network might change. Whether it routes 127.0.0.0/8 comes last. */
async function stateOf(link: string): Promise<string[]> {
  const links = await must(["ip", "-j", "-d", "link", "show", "dev", link]);
  const [{ address, mtu, inet6_addr_gen_mode: ipv6 }] = JSON.parse(links) as [ShownLink];
  const [{ addr_info }] = JSON.parse(await must(["ip", "-j", "addr", "show", "dev", link])) as [ShownAddresses];
  const addresses = addr_info.map(({ family, local, prefixlen }) => `${family} ${local}/${prefixlen}`);
  const localRouting = await must(["cat", `/proc/sys/net/ipv4/conf/${link}/route_localnet`]);
  const routers = await must(["cat", `/proc/sys/net/ipv6/conf/${link}/accept_ra`]);
  return [address, `mtu ${mtu}`, `ipv6 ${ipv6}`, `accept_ra ${routers.trim()}`, ...addresses, localRouting.trim()];
}

/** An interface as `ip link` shows it. */
interface ShownLink {
  address: string;
  mtu: number;
  inet6_addr_gen_mode: string;
}

/** An interface as `ip addr` shows it. */
interface ShownAddresses {
  addr_info: { family: string; local: string; prefixlen: number }[];
}
