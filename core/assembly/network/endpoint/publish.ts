// The ports that a container publishes. They lead to its addresses on the networks that give its default gateways, which
// may be one network for IPv4 and another for IPv6.

import { RefusedPort } from "../../../../build/bindings/types";
import { Container } from "../../container/container";
import { allocatedText, placeOfPort } from "../../failure/port";
import { Json } from "../../json/json";
import { parseKept } from "../../json/reader";
import { engine } from "../../state";
import { EVERY_IPV4, EVERY_IPV6, isIpv6 } from "../address/wildcard";
import { Network } from "../network";
import { PortWish, readPortWishes } from "../ports/port-wishes";
import { takenPorts } from "../ports/taken-ports";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";
import { gatewayEndpoint, Gateways, gatewaysOf, NO_GATEWAYS } from "./gateway-endpoints";
import { PublishedPort } from "./published-port";
import { Way, Ways } from "./ways";

/**
 * Allocates the ports to publish at addresses at which the container can be reached now, and could not be reached, or
 * only in the other way, by the gateways `before`. If one is taken, allocates none, and returns Docker's error.
 */
export function choosePorts(container: Container, before: Gateways): string | null {
  const wishes = wishesFor(container, before);
  if (wishes.length == 0) return null;
  const ports = container.sandbox!.ports;
  const count = ports.length;
  // Ports without a choice come first, so that none of the engine's choice takes one of them.
  wishes.sort((a, b) => choiceOf(a) - choiceOf(b));
  const ways = new Ways(gatewaysOf(container));
  for (let i = 0; i < wishes.length; i++) {
    const problem = choosePort(container, wishes[i], ways);
    if (problem === null) continue;
    while (ports.length > count) freePort(container, ports.pop());
    return problem;
  }
  return null;
}

/** Number of acceptable ports. */
function choiceOf(wish: PortWish): i32 {
  return wish.firstPort == 0 ? i32.MAX_VALUE : <i32>wish.lastPort - <i32>wish.firstPort;
}

export function portWishesOf(container: Container): PortWish[] {
  return wishesFor(container, NO_GATEWAYS);
}

/** `before`: as in `choosePorts`. A port of another gateway mode is another port. */
function wishesFor(container: Container, before: Gateways): PortWish[] {
  const now = new Ways(gatewaysOf(container));
  const then = new Ways(before);
  const wishes: PortWish[] = [];
  const all = allWishes(container);
  for (let i = 0; i < all.length; i++) {
    const wish = all[i];
    const addresses: string[] = [];
    for (let j = 0; j < wish.addresses.length; j++) {
      const address = wish.addresses[j];
      const way = now.to(address, wish.protocol);
      if (way != Way.None && way != then.to(address, wish.protocol)) addresses.push(address);
    }
    if (addresses.length == wish.addresses.length) wishes.push(wish);
    else if (addresses.length > 0) wishes.push(wish.at(addresses));
  }
  return wishes;
}

function allWishes(container: Container): PortWish[] {
  const hostConfig = parseKept(container.hostConfig);
  const config = parseKept(container.config);
  const everywhere = publishingAddresses(container);
  return readPortWishes(hostConfig === null ? NOTHING : hostConfig, config === null ? NOTHING : config, everywhere);
}

/**
 * The address that the network's options name, else all addresses, of both families if the machine has IPv6, and
 * rules or a program lead its packets to the container.
 */
function publishingAddresses(container: Container): string[] {
  const gateway = gatewayEndpoint(container);
  const network: Network | null = gateway === null ? null : networkOf(gateway);
  const binding = network === null ? "" : network.settings.hostBinding;
  if (binding.length > 0) return [binding];
  const options = engine.options.networks;
  const isRuled = options.firewall && gatewaysOf(container).ipv6 !== null;
  const onBoth = engine.options.machine.ipv6 && (options.proxies || isRuled);
  return onBoth ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}

const NOTHING: Json = Json.null();

/**
 * Returns Docker's error if there is no such port. Where its network is routed, the container needs none of the machine,
 * and clients see all addresses of the family, whichever they asked for, as in Docker.
 */
function choosePort(container: Container, wish: PortWish, ways: Ways): string | null {
  const mapped: string[] = [];
  const routed: string[] = [];
  for (let i = 0; i < wish.addresses.length; i++) {
    const address = wish.addresses[i];
    (ways.to(address, wish.protocol) == Way.Routed ? routed : mapped).push(address);
  }
  const problem = mapped.length > 0 ? mapPort(container, wish.at(mapped)) : null;
  if (problem !== null) return problem;
  for (let i = 0; i < routed.length; i++) {
    const everywhere = isIpv6(routed[i]) ? EVERY_IPV6 : EVERY_IPV4;
    container.sandbox!.ports.push(new PublishedPort(wish.containerPort, wish.protocol, everywhere, 0));
  }
  return null;
}

function mapPort(container: Container, wish: PortWish): string | null {
  const port = takeOne(container, wish.protocol, wish.addresses, wish.firstPort, wish.lastPort);
  if (port == 0) {
    const isAnyOf = wish.firstPort == 0 || wish.firstPort < wish.lastPort;
    if (isAnyOf) return notConnected(container, wish.addresses[0], ALL_TAKEN);
    const where = takenPorts.takenOf(wish.protocol, wish.addresses, wish.firstPort);
    return notConnected(container, where, allocatedText(placeOfPort(where, wish.firstPort)));
  }
  for (let i = 0; i < wish.addresses.length; i++) {
    const published = new PublishedPort(wish.containerPort, wish.protocol, wish.addresses[i], port);
    published.firstPort = wish.firstPort;
    published.lastPort = wish.lastPort;
    container.sandbox!.ports.push(published);
  }
  return null;
}

/**
 * Takes one port on all of the addresses: the first free one from
 * `first` to `last`, or any if `first` is 0. 0 if none is free.
 */
function takeOne(container: Container, protocol: string, addresses: string[], first: u32, last: u32): u16 {
  if (first == 0) return takenPorts.takeRandomPort(protocol, addresses, container.id);
  for (let port = first; port <= last; port++) {
    if (takenPorts.takePorts(protocol, addresses, <u16>port, container.id)) return <u16>port;
  }
  return 0;
}

const ALL_TAKEN: string = "all ports are allocated";

/** Docker's error if an endpoint cannot publish a port at this address of the machine. */
export function notConnected(container: Container, address: string, why: string): string {
  const endpoint = gatewaysOf(container).reachedAt(address);
  const id = endpoint === null || endpoint.place === null ? "" : endpoint.place!.endpointId;
  return `driver failed programming external connectivity on endpoint ${container.name} (${id}): ${why}`;
}

/**
 * Chooses another port for one that another program holds; false if no other port is acceptable or free. `endpoint`: to
 * which the port leads. Ports of the same request that lead to another one stay: that one may be served already.
 * `anyPort`: whether a port without a range may be tried again; ranges end by themselves.
 */
export function chooseOtherPorts(container: Container, endpoint: Endpoint, held: RefusedPort, anyPort: bool): bool {
  const ports = container.sandbox!.ports;
  const gateways = gatewaysOf(container);
  for (let i = 0; i < ports.length; i++) {
    if (ports[i].address != held.address || ports[i].hostPort != held.port || !ports[i].hasChoice) continue;
    if (ports[i].firstPort == 0 && !anyPort) return false;
    const together: PublishedPort[] = [];
    for (let j = 0; j < ports.length; j++) {
      if (!ports[j].isWith(ports[i])) continue;
      if (j == i || gateways.reachedAt(ports[j].address) === endpoint) together.push(ports[j]);
    }
    return move(container, together);
  }
  return false;
}

/** Moves ports of the same request to another port of the machine. */
function move(container: Container, ports: PublishedPort[]): bool {
  const protocol = ports[0].protocol;
  const hostPort = ports[0].hostPort;
  const first = ports[0].firstPort == 0 ? 0 : <u32>hostPort + 1;
  const addresses: string[] = [];
  for (let i = 0; i < ports.length; i++) addresses.push(ports[i].address);
  const other = takeOne(container, protocol, addresses, first, ports[0].lastPort);
  if (other == 0) return false;
  for (let i = 0; i < ports.length; i++) {
    takenPorts.freePort(protocol, ports[i].address, hostPort, container.id);
    ports[i].hostPort = other;
  }
  container.touch();
  return true;
}

/** After a restart: reserves again the ports that the container publishes, or has not released. */
export function keepPorts(container: Container): void {
  const sandbox = container.sandbox;
  if (sandbox === null) return;
  for (let i = 0; i < sandbox.ports.length; i++) {
    const port = sandbox.ports[i];
    if (port.isMapped) takenPorts.takePort(port.protocol, port.address, port.hostPort, container.id);
  }
}

export function freePorts(container: Container): void {
  keepPortsOf(container, NO_GATEWAYS, null);
}

/** Frees the ports at which the container cannot be reached any more, or not in this way. */
export function freeUnreachablePorts(container: Container): void {
  keepPortsOf(container, gatewaysOf(container), null);
}

/** Frees the ports that lead to this endpoint. */
export function freePortsTo(container: Container, endpoint: Endpoint): void {
  keepPortsOf(container, gatewaysOf(container), endpoint);
}

/** Keeps the ports that lead to an endpoint other than `without`. */
function keepPortsOf(container: Container, gateways: Gateways, without: Endpoint | null): void {
  const sandbox = container.sandbox;
  if (sandbox === null) return;
  const ways = new Ways(gateways);
  const kept: PublishedPort[] = [];
  for (let i = 0; i < sandbox.ports.length; i++) {
    const port = sandbox.ports[i];
    const endpoint = ways.endpointOf(port);
    if (endpoint !== null && endpoint !== without) kept.push(port);
    else freePort(container, port);
  }
  sandbox.ports = kept;
}

function freePort(container: Container, port: PublishedPort): void {
  if (port.isMapped) takenPorts.freePort(port.protocol, port.address, port.hostPort, container.id);
}
