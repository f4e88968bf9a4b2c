// Networks of the simulated machine: refusals, with the failures of the Linux host, and what is remembered.

import { beforeEach, describe, expect, test } from "vitest";
import type { networks } from "../../hosts/shared/host.js";
import { WorldNetworks } from "../../hosts/simulated/networks.js";
import { routeTo } from "../../hosts/simulated/traffic/routes.js";
import { Wire } from "../../hosts/simulated/traffic/wire.js";
import { WorldTime } from "../../hosts/simulated/world-time.js";
import { bridge, NETWORK } from "../support/usual-bridge.js";

const WEB = "1".repeat(64);
const OTHER = "2".repeat(64);
const onParent: networks.ParentNetwork = {
  network: "cd".repeat(32),
  name: "lan",
  driver: "macvlan",
  mode: "bridge",
  ipvlanFlag: "",
  parent: "eth0.9",
  vlanLink: "eth0",
  vlanId: 9,
  isDummy: false,
};

describe("networks", () => {
  let time: WorldTime;
  let world: WorldNetworks;

  beforeEach(async () => {
    time = new WorldTime({ pace: "fast" });
    world = new WorldNetworks({ time, taken: [{ hostAddress: "0.0.0.0", hostPort: 22, protocol: "tcp" }] });
    await perform({ tag: "make", val: bridge });
    return () => time.close();
  });

  test("networks on a parent have containers, but not the machine; a missing parent is told", async () => {
    await perform({ tag: "make-parent-network", val: onParent });
    const leads = { leads: true, gateway: "10.1.0.254", mac: "02:42:0a:01:00:01", linkLocal: [], sysctls: [] };
    const whose = { container: WEB, containerName: "web-1", interfaceName: "eth0" };
    const ipv6 = { ipv6Address: "fd00:1::1/64", ipv6Leads: false, ipv6Gateway: "" };
    const place = { network: onParent, address: "10.1.0.1/24", ...leads, ...ipv6 };
    await perform({ tag: "join-parent", val: { ...whose, ...place } });
    expect(world.joins()).toEqual([
      { container: WEB, network: onParent.network, address: "10.1.0.1", ipv6Address: "fd00:1::1" },
    ]);
    expect([...world.bridges()].map(({ network }) => network)).toEqual([NETWORK]);
    await perform({ tag: "make-parent-network", val: { ...onParent, parent: "", vlanLink: "", isDummy: true } });
    for (const [parent, vlanLink, name] of [
      ["eth7", "", "eth7"],
      ["eth7.9", "eth7", "eth7"],
    ] as const) {
      const failure = { tag: "no-such", val: { what: "network-interface", name } };
      const making = perform({ tag: "make-parent-network", val: { ...onParent, parent, vlanLink, vlanId: 9 } });
      await expect(making).rejects.toMatchObject({ failure });
    }
  });

  test("they remember their containers, in the order of joining", async () => {
    await perform({ tag: "join", val: join(WEB, "172.17.0.2") });
    await perform({ tag: "join", val: join(WEB, "172.17.0.2") });
    expect(world.networks()).toEqual([NETWORK]);
    expect(world.joins()).toEqual([{ container: WEB, network: NETWORK, address: "172.17.0.2", ipv6Address: "" }]);
    expect(world.placesOf(WEB).map(({ address }) => address)).toEqual(["172.17.0.2"]);
    expect([world.nameOf(WEB), world.nameOf(OTHER)]).toEqual(["web-1", undefined]);
    await perform({ tag: "leave", val: { container: WEB, network: NETWORK } });
    await perform({ tag: "drop", val: NETWORK });
    expect([world.networks(), world.joins()]).toEqual([[], []]);
    // Its name is known until it is dropped.
    expect(world.nameOf(WEB)).toBe("web-1");
    world.forget(WEB);
    expect(world.nameOf(WEB)).toBeUndefined();
  });

  test("it takes a little while", async () => {
    const before = time.now().monotonic;
    await perform({ tag: "join", val: join(WEB, "172.17.0.2") });
    expect(time.now().monotonic - before).toBe(3_000_000n);
  });

  test("a taken port is busy, for any owner, and nothing of the join remains", async () => {
    const own = [port("127.0.0.1", 8080), port("0.0.0.0", 53, "udp"), port("::1", 8081), port("::", 53, "udp")];
    await perform({ tag: "join", val: join(WEB, "172.17.0.2", own) });
    const all = [
      ...[port("0.0.0.0", 8080), port("127.0.0.1", 8080), port("127.0.0.1", 22), port("0.0.0.0", 53, "udp")],
      ...[port("::", 8081), port("::1", 8081), port("::1", 53, "udp")],
    ];
    for (const wanted of all) {
      const other = join(OTHER, "172.17.0.3", [port("0.0.0.0", 9000), wanted]);
      const { hostAddress: address, hostPort } = wanted;
      await expect(perform({ tag: "join", val: other })).rejects.toMatchObject({
        failure: { tag: "port", val: { address, port: hostPort, error: "EADDRINUSE" } },
      });
    }
    expect(world.joins()).toEqual([{ container: WEB, network: NETWORK, address: "172.17.0.2", ipv6Address: "" }]);
    const beside = [
      ...[port("127.0.0.2", 8080), port("0.0.0.0", 53), port("0.0.0.0", 9000)],
      ...[port("::", 8080), port("0.0.0.0", 8081), port("2001:db8::10", 8081), port("::", 22)],
    ];
    await perform({ tag: "join", val: join(OTHER, "172.17.0.3", beside) });
  });

  test("a port cannot be on an address that the machine does not have", async () => {
    await expect(perform({ tag: "join", val: join(WEB, "172.17.0.2", [port("10.1.2.3", 80)]) })).rejects.toMatchObject({
      failure: { tag: "port", val: { protocol: "tcp", address: "10.1.2.3", port: 80, error: "EADDRNOTAVAIL" } },
    });
    const nowhere = join(WEB, "172.17.0.2", [port("2001:db8::9", 80)]);
    await expect(perform({ tag: "join", val: nowhere })).rejects.toMatchObject({
      failure: { tag: "port", val: { protocol: "tcp", address: "2001:db8::9", port: 80, error: "EADDRNOTAVAIL" } },
    });
    await perform({ tag: "join", val: join(WEB, "172.17.0.2", [port("172.17.0.1", 80)]) });
  });

  test("a published port leads to its own container, and is refused if that has only IPv6", async () => {
    const onlyIpv6 = { address: "", gateway: "", ipv6Gateway: "fd00::1" };
    await perform({ tag: "join", val: { ...join(OTHER, ""), ...onlyIpv6, ipv6Address: "fd00::2" } });
    const ports = [port("0.0.0.0", 8080), { ...port("0.0.0.0", 8080), protocol: "udp" }];
    const published = { ...join(WEB, "", ports), ...onlyIpv6, ipv6Address: "fd00::3" };
    await perform({ tag: "join", val: published });
    expect(world.publishedAt("127.0.0.1", { protocol: "tcp", port: 8080 })?.to).toBe(world.namespaceOf(WEB));
    const routeFor = (protocol: "tcp" | "udp"): unknown =>
      routeTo(world, world.machine, "127.0.0.1", { protocol, port: 8080 });
    expect([routeFor("tcp"), routeFor("udp")]).toEqual([{ error: "ECONNREFUSED" }, "dropped"]);
  });

  test("doors that open after their endpoint has gone are closed again, and the endpoint stays away", async () => {
    const doors: { open: () => void; isOpen: boolean }[] = [];
    const open = (): Promise<() => void> =>
      new Promise((resolve) => {
        const door = { open: () => resolve(() => void (door.isOpen = false)), isOpen: true };
        doors.push(door);
      });
    world = new WorldNetworks({ time, doors: { open } });
    await perform({ tag: "make", val: bridge });
    const first = perform({ tag: "join", val: join(WEB, "172.17.0.2", [port("0.0.0.0", 80)]) });
    await expect.poll(() => doors.length).toBe(1);
    doors[0]!.open();
    await first;
    const second = perform({ tag: "join", val: join(WEB, "172.17.0.2", [port("0.0.0.0", 80), port("0.0.0.0", 81)]) });
    const gone = expect(second).rejects.toMatchObject({ failure: { tag: "interrupted", val: "engine-gone" } });
    await expect.poll(() => doors.length).toBe(2);
    await perform({ tag: "leave-all", val: WEB });
    doors[1]!.open();
    await gone;
    expect([doors.map(({ isOpen }) => isOpen), world.joins(), world.sandboxes()]).toEqual([[false, false], [], []]);
  });

  test("a join is taken back if its port is refused, even if its network is made anew meanwhile", async () => {
    const refusals: (() => void)[] = [];
    const open = ({ port }: { port: number }): Promise<() => void> => {
      if (port === 80) return Promise.resolve(() => {});
      return new Promise((_, reject) =>
        refusals.push(() => reject(Object.assign(new Error(), { code: "EADDRINUSE" }))),
      );
    };
    world = new WorldNetworks({ time, doors: { open } });
    await perform({ tag: "make", val: bridge });
    const isRefused = async (asked: networks.Join, mtu: number): Promise<void> => {
      const known = refusals.length;
      const refused = expect(perform({ tag: "join", val: asked })).rejects.toMatchObject({ failure: { tag: "port" } });
      await expect.poll(() => refusals.length).toBe(known + 1);
      await perform({ tag: "make", val: { ...bridge, mtu } });
      refusals[known]!();
      await refused;
    };
    await isRefused(join(WEB, "172.17.0.2", [port("0.0.0.0", 81)]), 1400);
    expect([world.joins(), world.sandboxes()]).toEqual([[], []]);
    await perform({ tag: "join", val: join(WEB, "172.17.0.2", [port("0.0.0.0", 80)]) });
    await isRefused(join(WEB, "172.17.0.2", [port("0.0.0.0", 80), port("0.0.0.0", 81)]), 1300);
    const left = world.placesOf(WEB).map(({ ports, bridge: { mtu } }) => [ports.map(({ hostPort }) => hostPort), mtu]);
    expect(left).toEqual([[[80], 1300]]);
  });

  test("a packet at speed 0 never arrives", () => {
    const slow = { kind: "network-slow", bytesPerSecond: 0 };
    const wire = new Wire({ strike: (kind) => (kind === slow.kind ? (slow as never) : null) }, () => 0);
    const route = { passed: [{ namespace: world.machine, network: bridge, way: "sent" as const }], isLocal: false };
    expect(wire.carry(route, 100)).toBeNull();
  });

  test("names are known in containers of the network, until their owner leaves", async () => {
    for (const [container, address] of [
      [WEB, "172.17.0.2"],
      [OTHER, "172.17.0.3"],
    ] as const) {
      await perform({ tag: "join", val: join(container, address) });
      const names = [`web-${container[0]}`, "both"];
      const named = { container, network: NETWORK, domain: "shop", names, addresses: [address] };
      await perform({ tag: "name", val: named });
    }
    expect(world.lookUp(WEB, "both")).toBeUndefined();
    const searched = { network: NETWORK, links: [{ alias: "peer", name: "web-2" }] };
    const resolver = { container: WEB, networks: [searched], servers: [], machineServers: true, publicServers: [] };
    await perform({ tag: "serve-names", val: resolver });
    expect(world.lookUp(WEB, "both")).toEqual(["172.17.0.2", "172.17.0.3"]);
    expect(world.lookUp(WEB, "WEB-2.shop")).toEqual(["172.17.0.3"]);
    expect(world.lookUp(WEB, "peer")).toEqual(["172.17.0.3"]);
    expect(world.lookUp(WEB, "nobody")).toBeUndefined();
    await perform({ tag: "leave", val: { container: OTHER, network: NETWORK } });
    expect(world.lookUp(WEB, "both")).toEqual(["172.17.0.2"]);
    await perform({ tag: "leave-all", val: WEB });
    expect(world.lookUp(WEB, "both")).toBeUndefined();
    const failure = { tag: "no-such", val: { what: "network-interface" } };
    await expect(perform({ tag: "serve-names", val: resolver })).rejects.toMatchObject({ failure });
  });

  test("pending commands of a dead engine are not completed", async () => {
    const joining = perform({ tag: "join", val: join(WEB, "172.17.0.2") });
    world.restart();
    await expect(joining).rejects.toMatchObject({ failure: { tag: "interrupted", val: "engine-gone" } });
    expect(world.joins()).toEqual([]);
    expect(world.networks()).toEqual([NETWORK]);
  });

  function perform(command: networks.NetworkCommand): Promise<unknown> {
    return world.perform(1n, command, () => {});
  }
});

function join(container: string, address: string, ports: networks.PortMapping[] = []): networks.Join {
  return {
    container,
    containerName: `web-${container[0]}`,
    bridge,
    interfaceName: "eth0",
    address,
    gateway: bridge.gateway,
    ipv6Address: "",
    ipv6Gateway: "",
    mac: "02:42:ac:11:00:02",
    ports,
    linkLocal: [],
    sysctls: [],
  };
}

function port(hostAddress: string, hostPort: number, protocol = "tcp"): networks.PortMapping {
  return { hostAddress, hostPort, containerPort: 80, protocol };
}
