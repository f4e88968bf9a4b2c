// Interfaces of networks: which names and which existing interfaces are refused, and that somebody else's bridge is left as
// it was. The engine runs in its own network namespace.
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { CLONE_NEWNET } from "../../../runtime-linux/kernel.js";
import { libc } from "../../../runtime-linux/kernel/libc.js";
import { linuxNetworks, type LinuxNetworks } from "../../../runtime-linux/networks.js";
import { Paths } from "../../../runtime-linux/paths.js";
import { must } from "../../support/commands.js";
import { describeUnless } from "../../support/on-engines.js";
import { bridge, missing, NETWORK } from "./bridge.js";

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

  test("a bridge that somebody has put in the place of ours stays", async () => {
    await perform({ tag: "make", val: bridge });
    await must(["ip", "link", "del", "crc0"]);
    await must(["ip", "link", "add", "crc0", "address", "02:00:00:00:00:09", "type", "bridge"]);
    const before = await stateOf("crc0");
    await perform({ tag: "drop", val: NETWORK });
    expect(await stateOf("crc0")).toEqual(before);
    await must(["ip", "link", "del", "crc0"]);
  });

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

/** Everything of an interface that a network might change. Whether it routes 127.0.0.0/8 comes last. */
async function stateOf(link: string): Promise<string[]> {
  const links = await must(["ip", "-j", "-d", "link", "show", "dev", link]);
  const [{ address, mtu, inet6_addr_gen_mode: ipv6 }] = JSON.parse(links) as [ShownLink];
  const [{ addr_info }] = JSON.parse(await must(["ip", "-j", "addr", "show", "dev", link])) as [ShownAddresses];
  const addresses = addr_info.map(({ family, local, prefixlen }) => `${family} ${local}/${prefixlen}`);
  const localRouting = await must(["cat", `/proc/sys/net/ipv4/conf/${link}/route_localnet`]);
  return [address, `mtu ${mtu}`, `ipv6 ${ipv6}`, ...addresses, localRouting.trim()];
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
