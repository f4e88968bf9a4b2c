// Ports of containers whose run is over but not yet released: a start that needs one of them waits for the release.

import { Container } from "../../container/container";
import { containerStore } from "../../container/store";
import { PublishedPort } from "../endpoint";
import { overlap } from "../address/wildcard";
import { portWishesOf } from "../join";
import { PortWish } from "./port-wishes";

/** A container that is about to release a port which this one asks for by number; null if there is none. */
export function releasingHolder(container: Container): Container | null {
  const wishes = portWishesOf(container);
  if (wishes.length == 0) return null;
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    const endpoint = all[i].endpoint;
    if (endpoint === null || !all[i].between || all[i] === container) continue;
    for (let j = 0; j < endpoint.ports.length; j++) if (isWished(endpoint.ports[j], wishes)) return all[i];
  }
  return null;
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
