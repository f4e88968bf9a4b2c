// Repairs of a network while containers come and go: none loses a published port by it, and no port comes back. The
// engine runs in its own network namespace.
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../../hosts/shared/host.js";
import { CLONE_NEWNET, type Kernel } from "../../../../runtime-linux/kernel.js";
import { libc } from "../../../../runtime-linux/kernel/libc.js";
import { linuxNetworks, type LinuxNetworks } from "../../../../runtime-linux/networks.js";
import { enterNamespace, isNamespace } from "../../../../runtime-linux/networks/namespace.js";
import { Paths } from "../../../../runtime-linux/paths.js";
import { must, until } from "../../../support/commands.js";
import { describeUnless } from "../../../support/on-engines.js";
import { bridge, missing, NETWORK } from "../bridge.js";

const WEB = "1".repeat(64);
const OTHER = "2".repeat(64);

describeUnless(missing, "repairs of networks", () => {
  const root = mkdtempSync(join(tmpdir(), "coracle-repairs-"));
  const paths = new Paths({ data: join(root, "data"), exec: join(root, "exec") });
  /** Called once, when the rules of a network are about to be made. */
  let beforeRules: (() => Promise<unknown>) | undefined;
  const kernel: Kernel = Object.assign(Object.create(libc) as Kernel, {
    async netlink(fd: number, requests: Uint8Array) {
      const act = Buffer.from(requests).includes("inward-") ? beforeRules : undefined;
      if (act) beforeRules = undefined;
      await act?.();
      return libc.netlink(fd, requests);
    },
  });
  let home = -1;
  let linux: LinuxNetworks;

  beforeAll(async () => {
    home = openSync("/proc/thread-self/ns/net", "r");
    libc.unshare(CLONE_NEWNET);
    await must(["ip", "link", "set", "lo", "up"]);
    linux = linuxNetworks({ kernel, paths });
    await perform({ tag: "make", val: bridge });
    await perform({ tag: "join", val: joinOf(WEB, 2, 8080) });
  });

  afterAll(async () => {
    for (const container of [WEB, OTHER]) await perform({ tag: "leave-all", val: container });
    await perform({ tag: "drop", val: NETWORK });
    await linux.close();
    libc.setns(home, CLONE_NEWNET);
    closeSync(home);
    rmSync(root, { recursive: true });
  });

  test("keep the port of a container that joins meanwhile", async () => {
    let joined: Promise<unknown> = Promise.resolve();
    beforeRules = () => {
      joined = perform({ tag: "join", val: joinOf(OTHER, 3, 8081) });
      return Promise.race([joined, until("it is connected", () => isConnected(OTHER), { everyMs: 100 })]);
    };
    await perform({ tag: "make", val: bridge });
    await joined;
    expect(await published()).toEqual([8080, 8081]);
  });

  test("do not bring back the port of a container that leaves meanwhile", async () => {
    let left: Promise<unknown> = Promise.resolve();
    beforeRules = () => {
      left = perform({ tag: "leave", val: { container: OTHER, network: NETWORK } });
      return Promise.race([left, until("it is disconnected", () => !isConnected(OTHER), { everyMs: 100 })]);
    };
    await perform({ tag: "make", val: bridge });
    await left;
    expect(await published()).toEqual([8080]);
  });

  test("keep the first port of a network", async () => {
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    let joined: Promise<unknown> = Promise.resolve();
    beforeRules = () => {
      joined = perform({ tag: "join", val: joinOf(WEB, 2, 8080) });
      return Promise.race([joined, until("it is connected", () => isConnected(WEB), { everyMs: 100 })]);
    };
    await perform({ tag: "make", val: bridge });
    await joined;
    expect(await published()).toEqual([8080]);
  });

  test("by the next engine leave the ports of networks whose turn comes later", async () => {
    const place = { subnet: "172.30.0.0/16", gateway: "172.30.0.1" };
    const second = { ...bridge, ...place, network: "c".repeat(64), interfaceName: "crc1" };
    await perform({ tag: "make", val: second });
    const joined = { ...joinOf(OTHER, 3, 8082), bridge: second, address: "172.30.0.3", gateway: place.gateway };
    await perform({ tag: "join", val: joined });
    await linux.close();
    linux = linuxNetworks({ kernel, paths });
    await linux.joins();
    await linux.networks();
    await perform({ tag: "make", val: bridge });
    expect(await published()).toEqual([8080, 8082]);
    await perform({ tag: "leave-all", val: OTHER });
    await perform({ tag: "drop", val: second.network });
    expect(await published()).toEqual([8080]);
  });

  function perform(command: networks.NetworkCommand): Promise<unknown> {
    return linux.perform(0n, command, () => {});
  }

  function isConnected(container: string): boolean {
    const file = paths.namespace(container);
    return isNamespace(file) && enterNamespace(libc, file, () => isThere("eth0"));
  }

  async function published(): Promise<number[]> {
    const listed = await must(["nft", "--numeric", "list", "map", "ip", paths.filterTable(), "everywhere"]);
    return [...listed.matchAll(/6 \. (\d+) :/g)].map(([, port]) => Number(port)).sort();
  }
});

function isThere(link: string): boolean {
  try {
    return libc.interfaceIndex(link) !== 0;
  } catch {
    return false;
  }
}

function joinOf(container: string, last: number, hostPort: number): networks.Join {
  return {
    ...{ container, containerName: "web", bridge, interfaceName: "eth0", address: `172.31.0.${last}`, ipv6Address: "" },
    ...{ gateway: bridge.gateway, ipv6Gateway: "", mac: `02:42:ac:1f:00:0${last}`, linkLocal: [], sysctls: [] },
    ports: [{ hostAddress: "0.0.0.0", hostPort, containerPort: 80, protocol: "tcp" }],
  };
}
