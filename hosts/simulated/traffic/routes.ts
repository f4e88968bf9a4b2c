// Where a packet goes: the routing tables of containers and the machine, and the machine's firewall between them.
// The rules are those of the Linux host (runtime-linux/networks/rules.ts).

import type { networks } from "../../shared/index.js";
import { isLoopback, isWithin } from "./addresses.js";
import type { SocketErrorCode } from "./errors.js";
import type { NetworkNamespace } from "./namespace.js";

/** The networks of the machine, and who is on them. */
export interface Topology {
  readonly machine: NetworkNamespace;
  /** Addresses of the machine, in addition to those of its bridges. */
  readonly addresses: readonly string[];
  /** Subnets that the machine reaches over its own interface. */
  readonly subnets: readonly string[];
  bridges(): Iterable<networks.Bridge>;
  /** Who has an address on a network. */
  ownerOf(network: string, address: string): NetworkNamespace | undefined;
  /** The endpoint behind a published TCP port of the machine. */
  publishedAt(address: string, port: number): Published | undefined;
  /** Whether an endpoint on a routed network has published this TCP port of its own. */
  isOpened(network: string, address: string, port: number): boolean;
}

/** An endpoint, its container's namespace, and its port there. */
export interface Published {
  join: networks.Join;
  to: NetworkNamespace;
  port: number;
}

/** An interface that a packet passes: a container's on a network. The machine's own ends are in no list. */
export interface Passed {
  namespace: NetworkNamespace;
  network: networks.Bridge;
  way: "sent" | "received";
}

/** The way to an address. */
export interface Route {
  to: NetworkNamespace;
  /** The address and port at which the packet arrives: others than asked for if the port is published. */
  address: string;
  port: number;
  /** The sender's address as the receiver sees it. */
  from: string;
  /** The first is the sender's, the last the receiver's. */
  passed: readonly Passed[];
  isLocal: boolean;
}

/** No way: an error at once, an error after the kernel asked in vain who has the address, or silence. */
export type NoRoute = { error: SocketErrorCode } | "nobody" | "dropped";

export function routeTo(topology: Topology, from: NetworkNamespace, address: string, port = 0): Route | NoRoute {
  return from.isMachine ? fromMachine(topology, address, port) : fromContainer(topology, from, address, port);
}

function fromContainer(topology: Topology, from: NetworkNamespace, address: string, port: number): Route | NoRoute {
  if (from.has(address)) return local(from, address, port);
  const joins = [...from.joins.values()];
  const near = joins.find(({ bridge }) => isWithin(address, bridge.subnet));
  if (near && near.bridge.gateway !== address) return alongBridge(topology, from, near, address, port);
  const gate = near ?? joins.find(({ gateway }) => gateway !== "");
  if (!gate) return { error: "ENETUNREACH" };
  const passed: Passed[] = [{ namespace: from, network: gate.bridge, way: "sent" }];
  if (isMachines(topology, address)) {
    const published = topology.publishedAt(address, port);
    if (published) return toPublished(published, gate, passed);
    return { to: topology.machine, address, port, from: gate.address, passed, isLocal: false };
  }
  // Another network's firewall drops it, unless its gateway mode lets it in, and an internal network's own does.
  const bridge = [...topology.bridges()].find(({ subnet }) => isWithin(address, subnet));
  if (gate.bridge.internal || (bridge && !letsIn(topology, bridge, address, port))) return "dropped";
  if (!bridge) return outside(topology, address);
  const to = topology.ownerOf(bridge.network, address);
  if (!to) return "nobody";
  const arrived: Passed = { namespace: to, network: bridge, way: "received" };
  return { to, address, port, from: gate.address, passed: [...passed, arrived], isLocal: false };
}

/** Whether packets from elsewhere reach a container at its own address. `port`: 0 for an echo request. */
function letsIn(topology: Topology, bridge: networks.Bridge, address: string, port: number): boolean {
  if (bridge.internal) return false;
  if (bridge.gatewayMode !== "routed") return bridge.gatewayMode === "nat-unprotected";
  return port === 0 || topology.isOpened(bridge.network, address, port);
}

function alongBridge(
  topology: Topology,
  from: NetworkNamespace,
  { bridge, address: own }: networks.Join,
  address: string,
  port: number,
): Route | NoRoute {
  const to = topology.ownerOf(bridge.network, address);
  if (!to) return "nobody";
  if (!bridge.connectsContainers) return "dropped";
  const passed: Passed[] = [
    { namespace: from, network: bridge, way: "sent" },
    { namespace: to, network: bridge, way: "received" },
  ];
  return { to, address, port, from: own, passed, isLocal: false };
}

/** A published port, from a container: on the same bridge, the answer must come back by way of the machine. */
function toPublished({ join, to, port }: Published, gate: networks.Join, passed: readonly Passed[]): Route | NoRoute {
  const { network } = join.bridge;
  const isSame = gate.bridge.network === network;
  if (gate.bridge.internal && !isSame) return "dropped";
  if (join.address === "") return WITHOUT_IPV4;
  const from = isSame ? join.bridge.gateway : gate.address;
  const arrived: Passed = { namespace: to, network: join.bridge, way: "received" };
  return { to, address: join.address, port, from, passed: [...passed, arrived], isLocal: false };
}

function fromMachine(topology: Topology, address: string, port: number): Route | NoRoute {
  const { machine } = topology;
  if (isMachines(topology, address)) {
    const published = topology.publishedAt(address, port);
    if (!published) return local(machine, address, port);
    const { join, to } = published;
    return join.address === "" ? WITHOUT_IPV4 : intoBridge(join.bridge, to, join.address, published.port);
  }
  const bridge = [...topology.bridges()].find(({ subnet }) => isWithin(address, subnet));
  if (!bridge) return outside(topology, address);
  const to = topology.ownerOf(bridge.network, address);
  return to ? intoBridge(bridge, to, address, port) : "nobody";
}

function intoBridge(network: networks.Bridge, to: NetworkNamespace, address: string, port: number): Route {
  const passed: Passed[] = [{ namespace: to, network, way: "received" }];
  return { to, address, port, from: network.gateway, passed, isLocal: false };
}

/** IPv6 carries nothing in this world, so nobody answers at a published port of an endpoint that has only IPv6. */
const WITHOUT_IPV4: NoRoute = { error: "ECONNREFUSED" };

function isMachines(topology: Topology, address: string): boolean {
  if (isLoopback(address) || topology.addresses.includes(address)) return true;
  return [...topology.bridges()].some(({ gateway }) => gateway === address);
}

function local(to: NetworkNamespace, address: string, port: number): Route {
  return { to, address, port, from: address, passed: [], isLocal: true };
}

/** The simulated machine is alone in its own network, and there is no other. */
function outside({ subnets }: Topology, address: string): NoRoute {
  return subnets.some((subnet) => isWithin(address, subnet)) ? "nobody" : { error: "ENETUNREACH" };
}
