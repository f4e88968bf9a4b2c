// Ports and addresses of containers whose run is over but not yet released: a start that needs one of them waits for the
// release.

import { Container } from "../../container/container";
import { containerStore } from "../../container/store";
import { Address } from "../address/address";
import { overlap } from "../address/wildcard";
import { Network } from "../network";
import { PortWish } from "../ports/port-wishes";
import { fixedAddress } from "./choose-place";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";
import { portWishesOf } from "./publish";
import { PublishedPort } from "./published-port";

/** A container that is about to release a port or an address which this one asks for; null if there is none. */
export function releasingHolder(container: Container): Container | null {
  const releasing = releasingOthers(container);
  // Usually there is none, and a container's settings may name tens of thousands of ports.
  if (releasing.length == 0) return null;
  const wishes = portWishesOf(container);
  const fixed = container.endpoints.filter((endpoint: Endpoint) => fixedAddresses(endpoint).length > 0);
  for (let i = 0; i < releasing.length; i++) {
    if (holdsPort(releasing[i], wishes)) return releasing[i];
    for (let j = 0; j < fixed.length; j++) if (holdsAddress(releasing[i], fixed[j])) return releasing[i];
  }
  return null;
}

function releasingOthers(container: Container): Container[] {
  const found: Container[] = [];
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) if (all[i].between && all[i] !== container) found.push(all[i]);
  return found;
}

/** The addresses that the client asked for. */
function fixedAddresses(endpoint: Endpoint): string[] {
  const ipv4: Address | null = fixedAddress(endpoint, false);
  const ipv6: Address | null = fixedAddress(endpoint, true);
  const fixed: string[] = [];
  if (ipv4 !== null) fixed.push(ipv4.text);
  if (ipv6 !== null) fixed.push(ipv6.text);
  return fixed;
}

/** A container that is about to release a fixed address of the endpoint; null if there is none. */
export function releasingAddress(endpoint: Endpoint): Container | null {
  if (fixedAddresses(endpoint).length == 0) return null;
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) if (all[i].between && holdsAddress(all[i], endpoint)) return all[i];
  return null;
}

/** Whether the container has a fixed address of the endpoint. */
function holdsAddress(container: Container, wanted: Endpoint): bool {
  const network: Network | null = networkOf(wanted);
  const fixed = fixedAddresses(wanted);
  if (network === null) return false;
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const place = all[i].place;
    if (place === null || all[i].networkId != network.id) continue;
    for (let j = 0; j < fixed.length; j++) if (place.addresses.includes(fixed[j])) return true;
  }
  return false;
}

function holdsPort(container: Container, wishes: PortWish[]): bool {
  const sandbox = container.sandbox;
  if (sandbox === null) return false;
  for (let i = 0; i < sandbox.ports.length; i++) if (isWished(sandbox.ports[i], wishes)) return true;
  return false;
}

function isWished(port: PublishedPort, wishes: PortWish[]): bool {
  for (let i = 0; i < wishes.length; i++) {
    const wish = wishes[i];
    const sameNumber = wish.firstPort == port.hostPort && wish.lastPort == port.hostPort;
    if (!port.isMapped || !sameNumber || wish.protocol != port.protocol) continue;
    for (let j = 0; j < wish.addresses.length; j++) if (overlap(wish.addresses[j], port.address)) return true;
  }
  return false;
}
