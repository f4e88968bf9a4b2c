// DELETE /networks/{id} (surface §2.24): built-in networks stay, and so do networks with containers.

import { Call } from "../call";
import { Container } from "../container/container";
import { forbidden, internal, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { quoteText } from "../text/go-quote";
import { containersOn } from "./endpoints-on-network";
import { lookUpNetwork } from "./look-up";
import { Network } from "./network";
import { beginNetworkRemoval, NetworkRemovalClient } from "./removal";

export function removeNetwork(call: Call): Refusal | null {
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (network === null) return lookup.refusal;
  if (network.isBuiltIn) return forbidden(`${network.name} is a pre-defined network and cannot be removed`);
  if (network.untold) {
    network.queue.push(call);
    return null;
  }
  const containers = containersOn(network);
  for (let i = 0; i < containers.length; i++) {
    if (!containers[i].between) continue;
    // It may be leaving, and its client has been told of its end already.
    containers[i].queue.push(call);
    return null;
  }
  if (containers.length > 0) return forbidden(inUse(network, containers));
  beginNetworkRemoval(network, new Remover(call));
  return null;
}

function inUse(network: Network, containers: Container[]): string {
  const endpoints: string[] = [];
  for (let i = 0; i < containers.length; i++) {
    const id = containers[i].endpoint!.endpointId.slice(0, 12);
    endpoints.push(`name:${quoteText(containers[i].name)} id:${quoteText(id)}`);
  }
  const all = endpoints.join(", ");
  return `error while removing network: network ${network.name} has active endpoints (${all})`;
}

/** The client that asked for the removal. */
class Remover extends NetworkRemovalClient {
  constructor(private readonly call: Call) {
    super();
  }

  removed(_network: Network): void {
    sendEmpty(this.call, 204);
  }

  failed(_network: Network, why: string): void {
    sendRefusal(this.call, internal(`error while removing network: ${why}`));
  }
}
