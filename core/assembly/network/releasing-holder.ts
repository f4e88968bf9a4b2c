// Ports and addresses of containers whose run is over but not yet released: a start that needs one of them waits for the
// release.

import { Container } from "../container/container";
import { containerStore } from "../container/store";
import { Address } from "./address/address";
import { overlap } from "./address/wildcard";
import { Endpoint, PublishedPort } from "./endpoint";
import { fixedAddress, portWishesOf } from "./join";
import { networkOf } from "./networks-of-container";
import { PortWish } from "./ports/port-wishes";

/** A container that is about to release a port or an address which this one asks for; null if there is none. */
export function releasingHolder(container: Container): Container | null {
  const wishes = portWishesOf(container);
  const fixed = fixedAddress(container);
  if (wishes.length == 0 && fixed === null) return null;
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    const endpoint = all[i].endpoint;
    if (endpoint === null || !all[i].between || all[i] === container) continue;
    if (fixed !== null && holds(endpoint, container, fixed)) return all[i];
    for (let j = 0; j < endpoint.ports.length; j++) if (isWished(endpoint.ports[j], wishes)) return all[i];
  }
  return null;
}

/** Whether the endpoint has the address on the container's network. */
function holds(endpoint: Endpoint, container: Container, address: Address): bool {
  if (endpoint.address != address.text) return false;
  const network = networkOf(container);
  return network !== null && network.id == endpoint.networkId;
}

function isWished(port: PublishedPort, wishes: PortWish[]): bool {
  for (let i = 0; i < wishes.length; i++) {
    const wish = wishes[i];
    const sameNumber = wish.firstPort == port.hostPort && wish.lastPort == port.hostPort;
    if (!sameNumber || wish.protocol != port.protocol) continue;
    for (let j = 0; j < wish.addresses.length; j++) if (overlap(wish.addresses[j], port.address)) return true;
  }
  return false;
}
