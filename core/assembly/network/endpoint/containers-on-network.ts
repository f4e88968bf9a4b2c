// Which containers are on a network: those that run there, and those whose run is not yet cleared away.

import { Container } from "../../container/container";
import { containerStore } from "../../container/store";
import { Network } from "../network";
import { Endpoint } from "./endpoint";

export function containersOn(network: Network): Container[] {
  const found: Container[] = [];
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) if (all[i].isOn(network.id)) found.push(all[i]);
  return found;
}

/** Endpoint of a container that is on the network. */
export function endpointAt(container: Container, network: Network): Endpoint {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) if (all[i].place !== null && all[i].networkId == network.id) return all[i];
  assert(false, `container ${container.id} is not on network ${network.id}`);
  return all[0];
}

/** Ids of all networks that have containers. */
export function networksInUse(): Set<string> {
  const ids = new Set<string>();
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    const endpoints = all[i].endpoints;
    for (let j = 0; j < endpoints.length; j++) if (endpoints[j].place !== null) ids.add(endpoints[j].networkId);
  }
  return ids;
}
