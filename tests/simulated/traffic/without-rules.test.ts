// What containers of the simulated machine reach at link-local addresses, and when the engine makes no firewall rules.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { WorldNetworks } from "../../../hosts/simulated/networks.js";
import type { NetworkNamespace } from "../../../hosts/simulated/traffic/namespace.js";
import { routeTo, type Service } from "../../../hosts/simulated/traffic/routes.js";
import { WorldTime } from "../../../hosts/simulated/world-time.js";
import { TrafficWorld } from "./traffic-fixture.js";

const ECHOING = "exec nc -lk -p 7 -e cat";
const HTTP: Service = { protocol: "tcp", port: 80 };
let traffic: TrafficWorld;

beforeAll(async () => {
  traffic = await TrafficWorld.open();
  for (const name of ["shop", "office"]) await traffic.network(name);
  await traffic.network("apart", { Options: { "com.docker.network.bridge.enable_icc": "false" } });
  await traffic.start("first", ECHOING, "shop", linked("shop", "169.254.7.1", "fd00:9::1", "fe80::7"));
  await traffic.start("loner", ECHOING, "apart", linked("apart", "169.254.7.1"));
});
afterAll(() => traffic.engine.close());

function linked(network: string, ...LinkLocalIPs: string[]): Record<string, unknown> {
  return { NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { LinkLocalIPs } } } } };
}

test("containers with link-local addresses reach one another there, on their own link alone", async () => {
  const say = (address: string): string => `echo said | nc -w 4 ${address} 7`;
  const both = `${say("169.254.7.1")}; ${say("fd00:9::1")}; ping -c 1 -q 169.254.7.1 | grep -c " 0%"`;
  const own = linked("shop", "169.254.9.9", "fd00:9::2", "fe80::9");
  expect((await traffic.run(both, "shop", own)).output).toBe("said\nsaid\n1\n");
  const zones = `${say("fe80::7%eth0")}; ${say("fe80::7")}; ${say("fe80::7%eth1")}`;
  expect((await traffic.run(zones, "shop", own)).output).toBe(
    "said\nnc: can't connect to remote host: Invalid argument\nnc: bad address 'fe80::7%eth1'\n",
  );
  expect((await traffic.run(`echo self | nc -l -p 8 & sleep 1; nc 169.254.9.9 8`, "shop", own)).output).toBe("self\n");
  // Without an address on the link, the packet goes to the gateway, and no further.
  expect((await traffic.run(say("169.254.7.1"), "shop")).output).toContain("Network is unreachable");
  expect((await traffic.run(say("169.254.7.1"), "office", linked("office", "169.254.9.9"))).output).toContain(
    "No route to host",
  );
  expect((await traffic.run(say("169.254.7.1"), "apart", linked("apart", "169.254.9.9"))).output).toContain(
    "timed out",
  );
});

test("a receiver sees a sender's link-local address", async () => {
  await traffic.start("seer", "exec nc -u -lk -p 9 -e cat", "shop", linked("shop", "169.254.7.2"));
  const seen = "netstat -un 2> /dev/null; echo x | nc -u -s 169.254.9.9 -w 1 169.254.7.2 9";
  expect((await traffic.run(seen, "shop", linked("shop", "169.254.9.9"))).output).toContain("x\n");
  await traffic.send("DELETE", "/containers/seer?force=1");
});

/** Two networks with a container each, on a machine without rules. */
async function withoutRules(more: Partial<networks.Bridge> = {}): Promise<{ world: WorldNetworks; time: WorldTime }> {
  const time = new WorldTime({ pace: "fast" });
  const world = new WorldNetworks({ time });
  for (const number of [1, 2]) {
    const made = bridge(number, number === 2 ? more : {});
    await perform(world, { tag: "make", val: made });
    await perform(world, { tag: "join", val: join(made, number) });
  }
  return { world, time };
}

function bridge(number: number, more: Partial<networks.Bridge>): networks.Bridge {
  const network = String(number).repeat(64);
  const ipv4 = { subnet: `10.0.${number}.0/24`, gateway: `10.0.${number}.1`, gatewayMode: "nat" };
  const ipv6 = { ipv6Subnet: `fd00:${number}::/64`, ipv6Gateway: `fd00:${number}::1`, ipv6GatewayMode: "nat" };
  const sources = { sourceAddress: "", ipv6SourceAddress: "", trustedInterfaces: [] };
  const usual = { internal: false, connectsContainers: true, masquerades: true, forwards: true, proxies: true, mtu: 0 };
  return {
    network,
    name: `net-${number}`,
    interfaceName: `br-${number}`,
    ...ipv4,
    ...ipv6,
    ...sources,
    ...usual,
    firewall: false,
    ...more,
  };
}

function join(on: networks.Bridge, number: number): networks.Join {
  const ports = [{ hostAddress: "0.0.0.0", hostPort: 8080 + number, containerPort: 80, protocol: "tcp" }];
  return {
    ...{ container: nameOf(number), containerName: `web-${number}`, bridge: on, interfaceName: "eth0", ports },
    ...{ address: `10.0.${number}.2`, gateway: on.internal ? "" : on.gateway, mac: `02:42:0a:00:0${number}:02` },
    ...{ ipv6Address: `fd00:${number}::2`, ipv6Gateway: on.internal ? "" : on.ipv6Gateway, linkLocal: [], sysctls: [] },
  };
}

const nameOf = (number: number): string => String.fromCharCode(96 + number).repeat(64);
const perform = (world: WorldNetworks, command: networks.NetworkCommand): unknown =>
  world.perform(0n, command, () => {});
const containerOf = (world: WorldNetworks, number: number): NetworkNamespace => world.namespaceOf(nameOf(number))!;

test("without rules, networks reach each other under their own addresses, in both families", async () => {
  const { world, time } = await withoutRules();
  for (const [address, from] of [
    ["10.0.2.2", "10.0.1.2"],
    ["fd00:2::2", "fd00:1::2"],
  ] as const)
    expect(routeTo(world, containerOf(world, 1), address, HTTP)).toMatchObject({ to: containerOf(world, 2), from });
  expect(routeTo(world, containerOf(world, 1), "192.0.2.10", { protocol: "tcp", port: 8082 })).toMatchObject({
    ...{ to: containerOf(world, 2), from: "fd00:2::1", address: "fd00:2::2" },
  });
  await perform(world, { tag: "make", val: { ...bridge(2, {}), firewall: true } });
  expect(routeTo(world, containerOf(world, 1), "10.0.2.2", HTTP)).toBe("dropped");
  expect(routeTo(world, containerOf(world, 1), "192.0.2.10", { protocol: "tcp", port: 8082 })).toMatchObject({
    ...{ from: "10.0.1.2", address: "10.0.2.2" },
  });
  time.close();
});

test("without rules, an internal network still has no way out, and containers that are kept apart stay so", async () => {
  const internal = await withoutRules({ internal: true });
  expect(routeTo(internal.world, containerOf(internal.world, 1), "10.0.2.2", HTTP)).toBe("dropped");
  expect(routeTo(internal.world, containerOf(internal.world, 2), "10.0.1.2", HTTP)).toEqual({ error: "ENETUNREACH" });
  internal.time.close();
  const { world, time } = await withoutRules({ connectsContainers: false });
  await perform(world, {
    tag: "join",
    val: { ...join(bridge(2, {}), 3), bridge: bridge(2, { connectsContainers: false }), address: "10.0.2.3" },
  });
  expect(routeTo(world, containerOf(world, 3), "10.0.2.2", HTTP)).toBe("dropped");
  time.close();
});
