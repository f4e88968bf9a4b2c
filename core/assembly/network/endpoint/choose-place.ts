// Gives a container its place on a network: addresses and an interface.

import { Container } from "../../container/container";
import { settingsOf, wantedInterface } from "../../container/endpoint/endpoint-settings";
import { forbidden, internal, Refusal } from "../../refusal";
import { engine } from "../../state";
import { Address, parseAddress } from "../address/address";
import { AddressPool } from "../address/address-pool";
import { macOf, macOfIpv6, parseMac } from "../address/mac";
import { Network } from "../network";
import { networkStore } from "../store";
import { Endpoint, Place, Sandbox } from "./endpoint";

/** Prefix of interface names, unless the network's options give another one. */
const PREFIX: string = "eth";

/** What is wrong with the hardware address that the client asked for, in Docker's words; null if nothing is. */
export function macProblem(endpoint: Endpoint): string | null {
  const isNone = endpoint.mac.length > 0 && parseMac(endpoint.mac).length == 0;
  return isNone ? `address ${endpoint.mac}: invalid MAC address` : null;
}

/** Takes the endpoint's addresses on the network; returns the error if that fails. */
export function choosePlace(container: Container, endpoint: Endpoint, network: Network): Refusal | null {
  const problem = macProblem(endpoint);
  if (problem !== null) return internal(problem);
  const sharesMac = network.isOnParent && network.parentSettings.sharesMac;
  if (sharesMac && endpoint.mac.length > 0) {
    return internal(`${network.driver} interfaces do not support custom mac address assignment`);
  }
  const wanted = wantedInterface(endpoint);
  if (wanted.length > 0 && hasInterface(container, wanted)) return internal(takenName(wanted));
  const place = new Place();
  const refusal = takeAddresses(place, container, endpoint, network);
  if (refusal !== null) return refusal;
  place.endpointId = engine.ids.next();
  place.gateway = network.containersGateway(place.address);
  place.ipv6Gateway = network.containersGateway(place.ipv6Address);
  place.mac = sharesMac ? "" : macFor(endpoint, place);
  place.interfaceName = wanted.length > 0 ? wanted : freeInterface(container, network);
  endpoint.networkId = network.id;
  endpoint.place = place;
  if (container.sandbox === null) container.sandbox = new Sandbox(engine.ids.next());
  return null;
}

/** One of each family that the network has, or none. */
function takeAddresses(place: Place, container: Container, endpoint: Endpoint, network: Network): Refusal | null {
  for (let family = 0; family < 2; family++) {
    const ipv6 = family == 1;
    const pools = network.poolsOf(ipv6);
    if (pools.length == 0) continue;
    const fixed: Address | null = fixedAddress(endpoint, ipv6);
    const address: Address | null = fixed === null ? takeAny(pools, container) : takeFixed(network, fixed, container);
    if (address === null) {
      freeAddresses(place, network.id, container);
      return fixed !== null ? forbidden("Address already in use") : noneLeft(network, ipv6);
    }
    const prefixLength = network.poolWith(address)!.subnet.prefixLength;
    if (ipv6) place.ipv6PrefixLength = prefixLength;
    else place.prefixLength = prefixLength;
    if (ipv6) place.ipv6Address = address.text;
    else place.address = address.text;
  }
  return null;
}

/** Of several subnets, the first that has an address left. */
function takeAny(pools: AddressPool[], container: Container): Address | null {
  for (let i = 0; i < pools.length; i++) {
    const address = pools[i].take(container.id);
    if (address !== null) return address;
  }
  return null;
}

function takeFixed(network: Network, address: Address, container: Container): Address | null {
  const pool = network.poolWith(address);
  return pool !== null && pool.takeFixed(address, container.id) ? address : null;
}

function noneLeft(network: Network, ipv6: bool): Refusal {
  const family = ipv6 ? "IPv6" : "IPv4";
  return internal(`no available ${family} addresses on this network's address pools: ${network.name} (${network.id})`);
}

/** The address that the client asked for; null if the engine chooses. */
export function fixedAddress(endpoint: Endpoint, ipv6: bool): Address | null {
  if (endpoint.settings.length == 0) return null;
  const config = settingsOf(endpoint).entry("IPAMConfig");
  return config === null ? null : parseAddress(config.stringOf(ipv6 ? "IPv6Address" : "IPv4Address"));
}

/** The client's choice, or one that follows from the address; without an address, from the endpoint's random id. */
function macFor(endpoint: Endpoint, place: Place): string {
  const mac = parseMac(endpoint.mac);
  if (mac.length > 0) return mac;
  if (place.addresses.length == 0) {
    const id = place.endpointId;
    return macOfIpv6(U64.parseInt(id.slice(0, 16), 16), U64.parseInt(id.slice(16, 32), 16));
  }
  const address = parseAddress(place.addresses[0])!;
  return address.isIpv6 ? macOfIpv6(address.high, address.low) : macOf(<u32>address.low);
}

function takenName(name: string): string {
  return `interface name ${name} is used by another endpoint of the container`;
}

/** `eth0`, or the first number that is free. */
function freeInterface(container: Container, network: Network): string {
  const given = network.settings.interfacePrefix;
  const prefix = given.length > 0 ? given : PREFIX;
  let number = 0;
  while (isTaken(container, prefix + number.toString())) number += 1;
  return prefix + number.toString();
}

/** Also by an endpoint that gets its place later. */
function isTaken(container: Container, name: string): bool {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) if (wantedInterface(all[i]) == name) return true;
  return hasInterface(container, name);
}

function hasInterface(container: Container, name: string): bool {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const place = all[i].place;
    if (place !== null && place.interfaceName == name) return true;
  }
  return false;
}

/** The container will not be on the network at its next start. Its place there, if it has one, still has to be freed. */
export function removeEndpoint(container: Container, endpoint: Endpoint): void {
  const at = container.endpoints.indexOf(endpoint);
  if (at >= 0) container.endpoints.splice(at, 1);
  container.touch();
}

/** Frees the endpoint's addresses. */
export function freePlace(container: Container, endpoint: Endpoint): void {
  const place = endpoint.place;
  if (place === null) return;
  freeAddresses(place, endpoint.networkId, container);
  endpoint.place = null;
}

function freeAddresses(place: Place, network: string, container: Container): void {
  const addresses = place.addresses;
  for (let i = 0; i < addresses.length; i++) networkStore.freeAddress(network, addresses[i], container.id);
}
