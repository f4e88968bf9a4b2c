// A container's endpoint on its network: allocated when it starts, released when its run is over.

import { Join, PortMapping, RefusedPort } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { settingsOf } from "../container/endpoint/endpoint-settings";
import { allocatedText, placeOfPort } from "../failure/port";
import { Json } from "../json/json";
import { parseKept } from "../json/reader";
import { forbidden, internal, Refusal } from "../refusal";
import { engine } from "../state";
import { Address, parseAddress } from "./address/address";
import { macOf, parseMac } from "./address/mac";
import { EVERY_IPV4, EVERY_IPV6 } from "./address/wildcard";
import { Endpoint, PublishedPort } from "./endpoint";
import { Network } from "./network";
import { networkOf } from "./networks-of-container";
import { PortWish, readPortWishes } from "./ports/port-wishes";
import { takenPorts } from "./ports/taken-ports";
import { networkStore } from "./store";

/** What is wrong with the hardware address from create, in Docker's words; null if nothing is. */
export function macProblem(container: Container): string | null {
  const isNone = container.mac.length > 0 && parseMac(container.mac).length == 0;
  return isNone ? `address ${container.mac}: invalid MAC address` : null;
}

/** Gives the container its addresses; returns the error if that fails. */
export function chooseAddress(container: Container, network: Network): Refusal | null {
  const problem = macProblem(container);
  if (problem !== null) return internal(problem);
  const pool = network.pool!;
  const fixed: Address | null = fixedAddress(container);
  if (fixed !== null && !pool.takeFixed(fixed, container.id)) return forbidden("Address already in use");
  const address = fixed === null ? pool.take(container.id) : fixed;
  if (address === null) {
    return internal(`no available IPv4 addresses on this network's address pools: ${network.name} (${network.id})`);
  }
  container.endpoint = endpointOf(container, network, address);
  return null;
}

/** The address that the client asked for; null if the engine chooses. */
export function fixedAddress(container: Container): Address | null {
  if (container.settings.length == 0) return null;
  const config = settingsOf(container).entry("IPAMConfig");
  return config === null ? null : parseAddress(config.stringOf("IPv4Address"));
}

function endpointOf(container: Container, network: Network, address: Address): Endpoint {
  const mac = parseMac(container.mac);
  const endpoint = new Endpoint();
  endpoint.networkId = network.id;
  endpoint.networkName = network.name;
  endpoint.endpointId = engine.ids.next();
  endpoint.sandboxId = engine.ids.next();
  endpoint.gateway = network.containersGateway;
  endpoint.address = address.text;
  endpoint.prefixLength = network.pool!.subnet.prefixLength;
  endpoint.mac = mac.length > 0 ? mac : macOf(<u32>address.low);
  return endpoint;
}

/** Allocates the ports to publish; returns Docker's error if one is taken. */
export function choosePorts(container: Container): string | null {
  const wishes = portWishesOf(container);
  // Ports without a choice come first, so that none of the engine's choice takes one of them.
  wishes.sort((a, b) => choiceOf(a) - choiceOf(b));
  for (let i = 0; i < wishes.length; i++) {
    const problem = choosePort(container, wishes[i]);
    if (problem !== null) return notConnected(container, problem);
  }
  return null;
}

/** Number of acceptable ports. */
function choiceOf(wish: PortWish): i32 {
  return wish.firstPort == 0 ? i32.MAX_VALUE : <i32>wish.lastPort - <i32>wish.firstPort;
}

export function portWishesOf(container: Container): PortWish[] {
  const hostConfig = parseKept(container.hostConfig);
  const config = parseKept(container.config);
  const everywhere = publishingAddresses(container);
  return readPortWishes(hostConfig === null ? NOTHING : hostConfig, config === null ? NOTHING : config, everywhere);
}

/** The address that the network's options name, else all addresses, of both families if the machine has IPv6. */
function publishingAddresses(container: Container): string[] {
  const network = networkOf(container);
  const binding = network === null ? "" : network.settings.hostBinding;
  if (binding.length > 0) return [binding];
  return engine.options.machine.ipv6 ? [EVERY_IPV4, EVERY_IPV6] : [EVERY_IPV4];
}

const NOTHING: Json = Json.null();

function choosePort(container: Container, wish: PortWish): string | null {
  const port = takeOne(container, wish.protocol, wish.addresses, wish.firstPort, wish.lastPort);
  if (port == 0) {
    if (wish.firstPort == 0 || wish.firstPort < wish.lastPort) return ALL_TAKEN;
    const where = takenPorts.takenOf(wish.protocol, wish.addresses, wish.firstPort);
    return allocatedText(placeOfPort(where, wish.firstPort));
  }
  for (let i = 0; i < wish.addresses.length; i++) {
    const published = new PublishedPort(wish.containerPort, wish.protocol, wish.addresses[i], port);
    published.firstPort = wish.firstPort;
    published.lastPort = wish.lastPort;
    container.endpoint!.ports.push(published);
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

/** Docker's error if an endpoint cannot publish its ports. */
export function notConnected(container: Container, why: string): string {
  const endpoint = container.endpoint;
  const id = endpoint === null ? "" : endpoint.endpointId;
  return (
    "failed to set up container networking: driver failed programming external connectivity on endpoint " +
    `${container.name} (${id}): ${why}`
  );
}

/**
 * Chooses another port for one that another program holds; false if no other port is acceptable or free. `anyPort`:
 * whether a port without a range may be tried again; ranges end by themselves.
 */
export function chooseOtherPorts(container: Container, held: RefusedPort, anyPort: bool): bool {
  const ports = container.endpoint!.ports;
  for (let i = 0; i < ports.length; i++) {
    if (ports[i].address != held.address || ports[i].hostPort != held.port || !ports[i].hasChoice) continue;
    if (ports[i].firstPort == 0 && !anyPort) return false;
    const together: PublishedPort[] = [];
    for (let j = 0; j < ports.length; j++) if (ports[j].isWith(ports[i])) together.push(ports[j]);
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

export function joinOf(container: Container, network: Network): Join {
  const endpoint = container.endpoint!;
  const ports: PortMapping[] = [];
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    ports.push(new PortMapping(port.address, port.hostPort, port.containerPort, port.protocol));
  }
  return new Join(
    container.id,
    container.name,
    network.asBridge(),
    endpoint.address,
    endpoint.gateway,
    endpoint.mac,
    ports,
  );
}

/** After a restart: reserves again what the container has on its network, or has not released. */
export function keepEndpoint(container: Container): void {
  const endpoint = container.endpoint;
  if (endpoint === null) return;
  networkStore.keepAddress(endpoint.networkId, endpoint.address, container.id);
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    takenPorts.takePort(port.protocol, port.address, port.hostPort, container.id);
  }
}

/** Releases address and ports. */
export function freeEndpoint(container: Container): void {
  const endpoint = container.endpoint;
  if (endpoint === null) return;
  networkStore.freeAddress(endpoint.networkId, endpoint.address, container.id);
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    takenPorts.freePort(port.protocol, port.address, port.hostPort, container.id);
  }
  container.endpoint = null;
  container.touch();
}
