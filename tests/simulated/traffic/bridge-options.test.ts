// What options of bridge networks let containers of the simulated machine reach, and under which address they leave.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { networks } from "../../../hosts/shared/host.js";
import { WorldNetworks } from "../../../hosts/simulated/networks.js";
import { routeTo, type NoRoute, type Route, type Service } from "../../../hosts/simulated/traffic/routes.js";
import { WorldTime } from "../../../hosts/simulated/world-time.js";
import { bridge as usual } from "../../support/usual-bridge.js";

const HTTP: Service = { protocol: "tcp", port: 80 };
const time = new WorldTime({ pace: "fast" });
let world: WorldNetworks;

beforeAll(async () => {
  world = new WorldNetworks({ time });
  await make(1, { trustedInterfaces: ["wg0", "br-2"] });
  await make(2, { sourceAddress: "192.0.2.77", ipv6SourceAddress: "2001:db8::77" });
  await make(3, {});
  await make(4, { gateway: "" });
  await make(5, { gatewayMode: "nat-unprotected", ipv6GatewayMode: "nat-unprotected" });
});
afterAll(() => time.close());

async function make(number: number, more: Partial<networks.Bridge>): Promise<void> {
  const ipv4 = { subnet: `10.0.${number}.0/24`, gateway: `10.0.${number}.1` };
  const ipv6 = { ipv6Subnet: `fd00:${number}::/64`, ipv6Gateway: `fd00:${number}::1` };
  const named = { network: String(number).repeat(64), name: `net-${number}`, interfaceName: `br-${number}` };
  const bridge: networks.Bridge = { ...usual, ...named, ...ipv4, ...ipv6, ...more };
  const at = (hostAddress: string): networks.PortMapping => {
    return { hostAddress, hostPort: 8080 + number, containerPort: 80, protocol: "tcp" };
  };
  const join: networks.Join = {
    ...{ container: nameOf(number), containerName: `web-${number}`, bridge, interfaceName: "eth0", linkLocal: [] },
    ...{ address: `10.0.${number}.2`, gateway: `10.0.${number}.1`, mac: `02:42:0a:00:0${number}:02`, sysctls: [] },
    ...{ ipv6Address: `fd00:${number}::2`, ipv6Gateway: `fd00:${number}::1`, ports: [at("0.0.0.0"), at("::")] },
  };
  await world.perform(0n, { tag: "make", val: bridge }, () => {});
  await world.perform(0n, { tag: "join", val: join }, () => {});
}

function nameOf(number: number): string {
  return String.fromCharCode(96 + number).repeat(64);
}

function way(from: number, address: string, service: Service = HTTP): Route | NoRoute {
  return routeTo(world, world.namespaceOf(nameOf(from))!, address, service);
}

test("from a trusted interface, containers reach published ports of others at their own addresses", () => {
  for (const address of ["10.0.1.2", "fd00:1::2"]) {
    expect(way(2, address)).toMatchObject({ to: world.namespaceOf(nameOf(1)) });
    expect(way(2, address, { protocol: "tcp", port: 81 })).toBe("dropped");
    expect(way(2, address, { protocol: "icmp" })).toBe("dropped");
    expect(way(3, address)).toBe("dropped");
  }
});

test("packets leave under the address that the network's options name", () => {
  expect(way(2, "10.0.5.2")).toMatchObject({ from: "192.0.2.77", own: "10.0.2.2" });
  expect(way(2, "fd00:5::2")).toMatchObject({ from: "2001:db8::77", own: "fd00:2::2" });
  expect(way(3, "10.0.5.2")).toMatchObject({ from: "10.0.5.1", own: "10.0.3.2" });
});

test("without an IPv4 address of the machine on the network, the two do not reach each other by IPv4", () => {
  expect(way(4, "10.0.5.2")).toBe("nobody");
  expect(way(4, "192.0.2.10")).toBe("nobody");
  expect(way(4, "fd00:5::2")).toMatchObject({ to: world.namespaceOf(nameOf(5)) });
  expect(routeTo(world, world.machine, "10.0.4.2", HTTP)).toEqual({ error: "ENETUNREACH" });
  expect(routeTo(world, world.machine, "127.0.0.1", { protocol: "tcp", port: 8084 })).toEqual({ error: "ENETUNREACH" });
  expect(routeTo(world, world.machine, "fd00:4::2", HTTP)).toMatchObject({ to: world.namespaceOf(nameOf(4)) });
});
