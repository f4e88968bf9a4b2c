// What the host is asked to make of a container's endpoint, and what the container gives back when its run is over.

import {
  Join,
  NetworkCommand,
  NetworkCommandJoin,
  NetworkCommandJoinParent,
  ParentJoin,
  PortMapping,
} from "../../../../build/bindings/types";
import { Tuple2 } from "../../../../build/bindings/runtime";
import { Container } from "../../container/container";
import { settingsOf } from "../../container/endpoint/endpoint-settings";
import { isSetByRuntime, kernelSettings, SYSCTLS } from "../../container/endpoint/interface-sysctls";
import { canonicalAddress } from "../address/address";
import { Network } from "../network";
import { networkStore } from "../store";
import { freePlace } from "./choose-place";
import { Endpoint } from "./endpoint";
import { Gateways, gatewaysOf } from "./gateway-endpoints";
import { freePorts, keepPorts } from "./publish";
import { Ways } from "./ways";

/** The endpoint with all that it shall be now: see the WIT's `join` and `join-parent`. */
export function joinCommand(container: Container, endpoint: Endpoint, network: Network): NetworkCommand {
  if (network.isOnParent) return new NetworkCommandJoinParent(parentJoinOf(container, endpoint, network));
  return new NetworkCommandJoin(joinOf(container, endpoint, network));
}

function parentJoinOf(container: Container, endpoint: Endpoint, network: Network): ParentJoin {
  const place = endpoint.place!;
  const gateways = gatewaysOf(container);
  return new ParentJoin(
    container.id,
    container.name,
    network.asParentNetwork(),
    place.interfaceName,
    prefixed(place.address, place.prefixLength),
    gateways.ipv4 === endpoint,
    place.gateway,
    prefixed(place.ipv6Address, place.ipv6PrefixLength),
    gateways.ipv6 === endpoint,
    place.ipv6Gateway,
    place.mac,
    linkLocalAddresses(endpoint),
    sysctlsOf(container, endpoint),
  );
}

/** `192.168.1.2/24`; empty for no address. */
function prefixed(address: string, prefixLength: i32): string {
  return address.length == 0 ? "" : `${address}/${prefixLength.toString()}`;
}

function joinOf(container: Container, endpoint: Endpoint, network: Network): Join {
  const gateways = gatewaysOf(container);
  const leads = gateways.ipv4 === endpoint;
  const ipv6Leads = gateways.ipv6 === endpoint;
  const place = endpoint.place!;
  return new Join(
    container.id,
    container.name,
    network.asBridge(),
    place.interfaceName,
    place.address,
    leads ? place.gateway : "",
    place.ipv6Address,
    ipv6Leads ? place.ipv6Gateway : "",
    place.mac,
    portsTo(container, endpoint, gateways),
    linkLocalAddresses(endpoint),
    sysctlsOf(container, endpoint),
  );
}

/** In canonical form: a client may have written an IPv4 address as an IPv6 one (RFC 4291 §2.5.5.2). */
function linkLocalAddresses(endpoint: Endpoint): string[] {
  const config = settingsOf(endpoint).entry("IPAMConfig");
  return config === null ? [] : config.stringsOf("LinkLocalIPs").map<string>((text: string) => canonicalAddress(text));
}

/** Those of a container that is just starting are set by the runtime if it can. */
function sysctlsOf(container: Container, endpoint: Endpoint): Tuple2<string, string>[] {
  const options = settingsOf(endpoint).entry("DriverOpts");
  const name = endpoint.place!.interfaceName;
  if (options === null || (!container.running && isSetByRuntime(name))) return [];
  return kernelSettings(options.stringOf(SYSCTLS), name);
}

/** The container's ports that lead to it by this endpoint. */
function portsTo(container: Container, endpoint: Endpoint, gateways: Gateways): PortMapping[] {
  const ports: PortMapping[] = [];
  const ways = new Ways(gateways);
  const all = container.sandbox!.ports;
  for (let i = 0; i < all.length; i++) {
    const port = all[i];
    if (ways.endpointOf(port) !== endpoint) continue;
    ports.push(new PortMapping(port.address, port.hostPort, port.containerPort, port.protocol));
  }
  return ports;
}

/** After a restart: reserves again what the container has on its networks, or has not released. */
export function keepEndpoints(container: Container): void {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const place = all[i].place;
    const addresses: string[] = place === null ? [] : place.addresses;
    for (let j = 0; j < addresses.length; j++) {
      networkStore.keepAddress(all[i].networkId, addresses[j], container.id);
    }
  }
  keepPorts(container);
}

/** Releases addresses and ports. */
export function freeEndpoints(container: Container): void {
  if (container.sandbox === null) return;
  freePorts(container);
  for (let i = 0; i < container.endpoints.length; i++) freePlace(container, container.endpoints[i]);
  container.sandbox = null;
  container.touch();
}
