// Which containers are on a network: those that run there, and those whose run is not yet cleared away.

import { Container } from "../container/container";
import { containerStore } from "../container/store";
import { Network } from "./network";

export function containersOn(network: Network): Container[] {
  const found: Container[] = [];
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) if (isConnected(all[i], network)) found.push(all[i]);
  return found;
}

function isConnected(container: Container, network: Network): bool {
  const endpoint = container.endpoint;
  return endpoint !== null && endpoint.networkId == network.id;
}

/** Ids of all networks that have containers. */
export function networksInUse(): Set<string> {
  const ids = new Set<string>();
  const all = containerStore.all();
  for (let i = 0; i < all.length; i++) {
    const endpoint = all[i].endpoint;
    if (endpoint !== null) ids.add(endpoint.networkId);
  }
  return ids;
}
