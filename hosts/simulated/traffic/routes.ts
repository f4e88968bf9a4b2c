// Where a packet goes: the routing tables of containers and the machine, and the machine's firewall between them.
// The rules are those of the Linux host (runtime-linux/networks/rules/bridge-rules.ts), the same for both families of
// addresses.

import type { networks } from "../../shared/index.js";
import { familyOf, isLoopback, isOfLink, isWithin, type Family } from "./addresses.js";
import type { SocketErrorCode } from "./errors.js";
import { bridgeIn, endpointIn, linkAddress } from "./families.js";
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
  /** The endpoint behind a published port of the machine. */
  publishedAt(address: string, service: Service): Published | undefined;
  /** Whether the endpoint with this address on the network has published this port of its own. */
  isOpened(network: string, address: string, service: Service): boolean;
}

/** What a packet is for: a port, or nothing but an echo. */
export type Service = { protocol: "tcp" | "udp"; port: number } | { protocol: "icmp" };

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
  /** The sender's own address. */
  own: string;
  /** The sender's address as the receiver sees it. */
  from: string;
  /** The first is the sender's, the last the receiver's. */
  passed: readonly Passed[];
  isLocal: boolean;
}

/** No way: an error at once, an error after the kernel asked in vain who has the address, or silence. */
export type NoRoute = { error: SocketErrorCode } | "nobody" | "dropped";

/** `address`: in its one text. */
export function routeTo(
  topology: Topology,
  from: NetworkNamespace,
  address: string,
  service: Service,
): Route | NoRoute {
  if (from.isMachine) return fromMachine(topology, address, service);
  const [plain = "", zone] = address.split("%");
  if (isOfLink(plain) && zone === undefined) return { error: "EINVAL" };
  return fromContainer(topology, from, plain, service, zone);
}

function portOf(service: Service): number {
  return service.protocol === "icmp" ? 0 : service.port;
}

/** `zone`: the interface that leads to the address, if it is given. */
function fromContainer(
  topology: Topology,
  from: NetworkNamespace,
  address: string,
  service: Service,
  zone?: string,
): Route | NoRoute {
  const port = portOf(service);
  if (from.has(address)) return local(from, address, port);
  const family = familyOf(address);
  const all = [...from.joins.values()];
  const joins = all.filter((join) => endpointIn(join, family).address !== "");
  const near = joins.find(({ bridge }) => isWithin(address, bridgeIn(bridge, family).subnet));
  if (near && bridgeIn(near.bridge, family).gateway !== address)
    return alongBridge(topology, near, { from, own: endpointIn(near, family).address, address, port });
  const through = all.filter(({ interfaceName }) => zone === undefined || zone === interfaceName);
  const linked = through.find((join) => linkAddress(join, address) !== undefined);
  if (linked) return alongBridge(topology, linked, { from, own: linkAddress(linked, address)!, address, port });
  const gate = near ?? joins.find((join) => endpointIn(join, family).gateway !== "");
  return gate ? throughMachine(topology, gate, from, address, service) : { error: "ENETUNREACH" };
}

/** The way to what is not on the container's own networks. `gate`: its endpoint that has the default route. */
function throughMachine(
  topology: Topology,
  gate: networks.Join,
  from: NetworkNamespace,
  address: string,
  service: Service,
): Route | NoRoute {
  const family = familyOf(address);
  // The router to which its default route leads is somebody else's, and not there.
  if (bridgeIn(gate.bridge, family).gateway === "" && !gate.bridge.internal) return "nobody";
  const passed: Passed[] = [{ namespace: from, network: gate.bridge, way: "sent" }];
  if (!isMachines(topology, address)) return beyondMachine(topology, gate, address, service, passed);
  const published = topology.publishedAt(address, service);
  if (published) return toPublished(topology, published, gate, address, passed, service);
  const own = endpointIn(gate, family).address;
  return { to: topology.machine, address, port: portOf(service), own, from: own, passed, isLocal: false };
}

/** The way to a container of another network, at its own address, or away from the machine. */
function beyondMachine(
  topology: Topology,
  gate: networks.Join,
  address: string,
  service: Service,
  passed: readonly Passed[],
): Route | NoRoute {
  const family = familyOf(address);
  // Another network's firewall drops it, unless its gateway mode lets it in, and an internal network's own does.
  const bridge = bridgeOf(topology, address);
  if (gate.bridge.internal || (bridge && !letsIn(topology, bridge, gate.bridge, address, service))) return "dropped";
  if (!bridge || !hasMachine(bridge, address)) return outside(topology, address);
  const to = topology.ownerOf(bridge.network, address);
  if (!to) return "nobody";
  const arrived: Passed = { namespace: to, network: bridge, way: "received" };
  const [own, seen] = [endpointIn(gate, family).address, senderOf(gate, bridge, family)];
  return { to, address, port: portOf(service), own, from: seen, passed: [...passed, arrived], isLocal: false };
}

function bridgeOf(topology: Topology, address: string): networks.Bridge | undefined {
  const family = familyOf(address);
  return [...topology.bridges()].find((bridge) => isWithin(address, bridgeIn(bridge, family).subnet));
}

/**
 * Whether packets from another network reach a container at its own address. Without a firewall they do. But an
 * internal network's containers have no way to answer them.
 */
function letsIn(
  topology: Topology,
  bridge: networks.Bridge,
  from: networks.Bridge,
  address: string,
  service: Service,
): boolean {
  if (bridge.internal) return false;
  const { mode } = bridgeIn(bridge, familyOf(address));
  if (!bridge.firewall || mode === "nat-unprotected") return true;
  const isOpened = topology.isOpened(bridge.network, address, service);
  if (mode === "routed") return service.protocol === "icmp" || isOpened;
  return isOpened && bridge.trustedInterfaces.includes(from.interfaceName);
}

/**
 * Under which address a container's packet gets to another network: if it is masqueraded, the one that its network's
 * options name, or else the machine's own there.
 */
function senderOf(gate: networks.Join, to: networks.Bridge, family: Family): string {
  const { masquerades, firewall } = gate.bridge;
  const { mode, source } = bridgeIn(gate.bridge, family);
  if (!masquerades || !firewall || mode === "routed") return endpointIn(gate, family).address;
  return source === "" ? bridgeIn(to, family).gateway : source;
}

function alongBridge(
  topology: Topology,
  { bridge }: networks.Join,
  { from, own, address, port }: { from: NetworkNamespace; own: string; address: string; port: number },
): Route | NoRoute {
  const to = topology.ownerOf(bridge.network, address);
  if (!to) return "nobody";
  if (!bridge.connectsContainers) return "dropped";
  const passed: Passed[] = [
    { namespace: from, network: bridge, way: "sent" },
    { namespace: to, network: bridge, way: "received" },
  ];
  return { to, address, port, own, from: own, passed, isLocal: false };
}

/** Where a published port leads. `isForwarded`: by a program of the machine, otherwise by its firewall. */
interface Lead {
  address: string;
  isForwarded: boolean;
}

/**
 * Where an address of the machine leads with a published port. The kernel leads to an address of the same family, except
 * from ::1. Programs forward the rest from IPv6, and all without a firewall (runtime-linux/networks/ports/ports.ts). Null: the
 * port is only held.
 */
function leadOf({ join }: Published, asked: string): Lead | null {
  const { firewall, proxies } = join.bridge;
  const family = familyOf(asked);
  const { address } = endpointIn(join, family);
  if (firewall && address !== "" && asked !== "::1") return { address, isForwarded: false };
  if (!proxies || (firewall && family === 4)) return null;
  return { address: join.ipv6Address === "" ? join.address : join.ipv6Address, isForwarded: true };
}

/** A published port, from a container: on the same bridge, the answer must come back by way of the machine. */
function toPublished(
  topology: Topology,
  published: Published,
  gate: networks.Join,
  asked: string,
  passed: readonly Passed[],
  service: Service,
): Route | NoRoute {
  const { join, to, port } = published;
  const lead = leadOf(published, asked);
  if (lead === null) return onlyHeld(service);
  const { bridge } = join;
  if (!hasMachine(bridge, lead.address)) return outside(topology, lead.address);
  const isMachines = gate.bridge.network === bridge.network || lead.isForwarded;
  if (gate.bridge.internal && !isMachines) return "dropped";
  const family = familyOf(lead.address);
  const from = isMachines ? bridgeIn(bridge, family).gateway : senderOf(gate, bridge, family);
  const arrived: Passed = { namespace: to, network: bridge, way: "received" };
  const own = endpointIn(gate, familyOf(asked)).address;
  return { to, address: lead.address, port, own, from, passed: [...passed, arrived], isLocal: false };
}

function fromMachine(topology: Topology, address: string, service: Service): Route | NoRoute {
  const port = portOf(service);
  const { machine } = topology;
  if (isMachines(topology, address)) {
    const published = topology.publishedAt(address, service);
    if (!published) return local(machine, address, port);
    const lead = leadOf(published, address);
    if (lead === null) return onlyHeld(service);
    if (!hasMachine(published.join.bridge, lead.address)) return outside(topology, lead.address);
    return { ...intoBridge(published.join.bridge, published.to, lead.address, published.port), own: address };
  }
  const bridge = bridgeOf(topology, address);
  if (!bridge || !hasMachine(bridge, address)) return outside(topology, address);
  const to = topology.ownerOf(bridge.network, address);
  return to ? intoBridge(bridge, to, address, port) : "nobody";
}

/** Whether the machine has an address on the network, of this one's family, and with it a route there. */
function hasMachine(bridge: networks.Bridge, address: string): boolean {
  return bridgeIn(bridge, familyOf(address)).gateway !== "";
}

function intoBridge(network: networks.Bridge, to: NetworkNamespace, address: string, port: number): Route {
  const passed: Passed[] = [{ namespace: to, network, way: "received" }];
  const own = bridgeIn(network, familyOf(address)).gateway;
  return { to, address, port, own, from: own, passed, isLocal: false };
}

/** The machine's socket only keeps the port from others: it does not listen, and nobody reads what it gets. */
function onlyHeld({ protocol }: Service): NoRoute {
  return protocol === "udp" ? "dropped" : { error: "ECONNREFUSED" };
}

function isMachines(topology: Topology, address: string): boolean {
  if (isLoopback(address) || topology.addresses.includes(address)) return true;
  const family = familyOf(address);
  return [...topology.bridges()].some((bridge) => bridgeIn(bridge, family).gateway === address);
}

function local(to: NetworkNamespace, address: string, port: number): Route {
  return { to, address, port, own: address, from: address, passed: [], isLocal: true };
}

/** The simulated machine is alone in its own network, and there is no other. */
function outside({ subnets }: Topology, address: string): NoRoute {
  return subnets.some((subnet) => isWithin(address, subnet)) ? "nobody" : { error: "ENETUNREACH" };
}
