// Which of a container's networks leads outside. Its gateway is the container's default gateway, and if it is a bridge,
// ports are published to the container's address there.

import { Container } from "../../container/container";
import { settingsOf } from "../../container/endpoint/endpoint-settings";
import { Network } from "../network";
import { Endpoint } from "./endpoint";
import { networkOf } from "./endpoints-of-container";

/**
 * The endpoint of the highest `GwPriority`, and among equals the one on the first network by name, as in Docker. Null if
 * no network leads outside. For a container that is not running: the one that will be it.
 */
export function gatewayEndpoint(container: Container): Endpoint | null {
  let best: Endpoint | null = null;
  let bestNetwork: Network | null = null;
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    const network = networkOf(all[i]);
    if (network === null || !network.leadsOutside) continue;
    if (best !== null && !isBefore(all[i], network, best, bestNetwork!)) continue;
    best = all[i];
    bestNetwork = network;
  }
  return best;
}

/** The gateway endpoint, if ports of the machine can lead to it: only bridges have published ports. */
export function publishingEndpoint(container: Container): Endpoint | null {
  const gateway = gatewayEndpoint(container);
  return gateway !== null && networkOf(gateway)!.driver == "bridge" ? gateway : null;
}

function isBefore(one: Endpoint, network: Network, other: Endpoint, otherNetwork: Network): bool {
  const priority = priorityOf(one);
  const than = priorityOf(other);
  return priority != than ? priority > than : network.name < otherNetwork.name;
}

function priorityOf(endpoint: Endpoint): i64 {
  return settingsOf(endpoint).i64Of("GwPriority");
}
