// DELETE /networks/{id} (surface §2.24): built-in networks stay, and so do networks with containers, and
// configurations that other networks have.

import { Failure, NetworkCommandDrop, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { Call } from "../call";
import { Container } from "../container/container";
import { failureText } from "../failure/text";
import { NETWORK_RECORDS } from "../records/kinds";
import { setAside } from "../records/set-aside";
import { forbidden, internal, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { Task } from "../task";
import { quoteText } from "../text/go-quote";
import { isConfigurationInUse } from "./configuration";
import { containersOn, endpointAt, networksInUse } from "./endpoint/containers-on-network";
import { lookUpNetwork } from "./look-up";
import { Network } from "./network";
import { beginNetworkRemoval, NetworkRemovalClient } from "./removal";

export function removeNetwork(call: Call): Refusal | null {
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (network === null) return setAside.has(NETWORK_RECORDS + call.name) ? removeDamaged(call) : lookup.refusal;
  if (network.isBuiltIn) return forbidden(`${network.name} is a pre-defined network and cannot be removed`);
  if (network.creating) {
    network.queue.push(call);
    return null;
  }
  if (isConfigurationInUse(network)) {
    return forbidden(`error while removing network: configuration network ${quoteText(network.name)} is in use`);
  }
  const containers = containersOn(network);
  for (let i = 0; i < containers.length; i++) {
    if (!containers[i].between) continue;
    // It may be leaving, and its client has been told of its end already.
    containers[i].queue.push(call);
    return null;
  }
  const isUsed = containers.length > 0 || setAside.isOnNetwork(network.id);
  if (isUsed) return forbidden(inUse(network, containers));
  beginNetworkRemoval(network, new Remover(call));
  return null;
}

function inUse(network: Network, containers: Container[]): string {
  const endpoints: string[] = [];
  for (let i = 0; i < containers.length; i++) {
    const id = endpointAt(containers[i], network).place!.endpointId.slice(0, 12);
    endpoints.push(`name:${quoteText(containers[i].name)} id:${quoteText(id)}`);
  }
  const all = endpoints.join(", ");
  return `error while removing network: network ${network.name} has active endpoints (${all})`;
}

/** Its record is set aside, so that only its id is known. */
function removeDamaged(call: Call): Refusal | null {
  const isUsed = networksInUse().has(call.name) || setAside.isOnNetwork(call.name);
  if (isUsed) return forbidden(`error while removing network: network ${call.name} has active endpoints`);
  new DamagedRemoval(call).begin();
  return null;
}

class DamagedRemoval extends Task {
  constructor(private readonly call: Call) {
    super();
  }

  begin(): void {
    askNetworks(this, 0, new NetworkCommandDrop(this.call.name));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) {
      return sendRefusal(this.call, internal(`error while removing network: ${failureText(failure)}`));
    }
    setAside.forget(NETWORK_RECORDS + this.call.name);
    sendEmpty(this.call, 204);
  }
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
