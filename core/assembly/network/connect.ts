// A container's place on its network: taken when it starts, given back when its run is over.

import { Join, PortMapping } from "../../../build/bindings/types";
import { Container } from "../container/container";
import { Json } from "../json/json";
import { parseJson } from "../json/reader";
import { engine } from "../state";
import { formatAddress, macOf, parseMac } from "./addresses";
import { ALL_ADDRESSES, Endpoint, PublishedPort } from "./endpoint";
import { Network } from "./network";
import { PortWish, readPortWishes } from "./port-wishes";

/** Gives the container its addresses; a text when that cannot be. */
export function chooseAddress(container: Container, network: Network): string | null {
  const mac = parseMac(container.mac);
  if (mac.length == 0 && container.mac.length > 0) return `address ${container.mac}: invalid MAC address`;
  const address = engine.networks.takeAddress(network, container.id);
  if (address == 0)
    return `no available IPv4 addresses on this network's address pools: ${network.name} (${network.id})`;
  const endpoint = new Endpoint();
  endpoint.networkId = network.id;
  endpoint.networkName = network.name;
  endpoint.endpointId = engine.ids.next();
  endpoint.sandboxId = engine.ids.next();
  endpoint.gateway = network.gateway;
  endpoint.address = formatAddress(address);
  endpoint.prefixLength = network.prefixLength;
  endpoint.mac = mac.length > 0 ? mac : macOf(address);
  container.endpoint = endpoint;
  return null;
}

/** Takes the ports to be published; Docker's text when one is taken already. */
export function choosePorts(container: Container): string | null {
  const hostConfig = parseJson(container.hostConfig);
  const config = parseJson(container.config);
  const wishes = readPortWishes(hostConfig === null ? Json.null() : hostConfig, config === null ? Json.null() : config);
  for (let i = 0; i < wishes.length; i++) {
    const problem = choosePort(container, wishes[i]);
    if (problem !== null) return problem;
  }
  return null;
}

function choosePort(container: Container, wish: PortWish): string | null {
  const endpoint = container.endpoint!;
  const address = wish.hostAddress.length > 0 ? wish.hostAddress : ALL_ADDRESSES;
  let port = <u16>0;
  if (wish.firstPort == 0) port = engine.networks.takeRandomPort(wish.protocol, address, container.id);
  for (let p: u32 = wish.firstPort; port == 0 && p > 0 && p <= wish.lastPort; p++) {
    if (engine.networks.takePort(wish.protocol, address, <u16>p, container.id)) port = <u16>p;
  }
  if (port == 0) return portTaken(container, `${address}:${wish.firstPort.toString()}`);
  const random = wish.firstPort == 0;
  endpoint.ports.push(new PublishedPort(wish.containerPort, wish.protocol, wish.hostAddress, port, random));
  return null;
}

/** Docker's text for a port that cannot be had (surface §2.24). `where` is `ADDRESS:PORT`. */
export function portTaken(container: Container, where: string): string {
  const endpoint = container.endpoint;
  const id = endpoint === null ? "" : endpoint.endpointId;
  return (
    "failed to set up container networking: driver failed programming external connectivity on endpoint " +
    `${container.name} (${id}): Bind for ${where} failed: port is already allocated`
  );
}

/** Another port for one the engine chose that turned out to be held; false when that one was not its choice. */
export function chooseOtherPorts(container: Container, held: string): bool {
  const ports = container.endpoint!.ports;
  const port = <u16>parseInt(held.slice(held.lastIndexOf(":") + 1), 10);
  for (let i = 0; i < ports.length; i++) {
    if (!ports[i].random || ports[i].hostPort != port) continue;
    const address = ports[i].address;
    const other = engine.networks.takeRandomPort(ports[i].protocol, address, container.id);
    if (other == 0) return false;
    engine.networks.freePort(ports[i].protocol, address, port, container.id);
    ports[i].hostPort = other;
    container.touch();
    return true;
  }
  return false;
}

export function joinOf(container: Container, network: Network): Join {
  const endpoint = container.endpoint!;
  const ports: PortMapping[] = [];
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    ports.push(new PortMapping(port.address, port.hostPort, port.containerPort, port.protocol));
  }
  return new Join(container.id, container.name, network.asBridge(), endpoint.address, endpoint.mac, ports);
}

/** After a restart: takes again what a container has on its network, or has not given back. */
export function keepEndpoint(container: Container): void {
  const endpoint = container.endpoint;
  if (endpoint === null) return;
  engine.networks.keepAddress(endpoint.networkId, endpoint.address, container.id);
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    engine.networks.takePort(port.protocol, port.address, port.hostPort, container.id);
  }
}

/** Gives back address and ports. */
export function freeEndpoint(container: Container): void {
  const endpoint = container.endpoint;
  if (endpoint === null) return;
  engine.networks.freeAddress(endpoint.networkId, endpoint.address, container.id);
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    engine.networks.freePort(port.protocol, port.address, port.hostPort, container.id);
  }
  container.endpoint = null;
  container.touch();
}
