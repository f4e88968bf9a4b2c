// Tells the host about the names of containers that run on user-defined networks.

import { NetworkCommandName, NetworkCommandServeNames } from "../../../../build/bindings/types";
import { askNetworks } from "../../ask";
import { Container } from "../../container/container";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { Endpoint } from "../endpoint/endpoint";
import { Network } from "../network";
import { networkStore } from "../store";
import { endpointNames } from "./names-on-network";
import { resolverOf } from "./resolver";

/** The user-defined network that the container is on with this endpoint; null if there is none. */
function namingNetwork(endpoint: Endpoint): Network | null {
  const network: Network | null = endpoint.place === null ? null : networkStore.find(endpoint.networkId);
  return network === null || network.isBuiltIn ? null : network;
}

/** Whether the container is on a network where containers have names. */
export function hasNames(container: Container): bool {
  return namingNetworks(container).length > 0;
}

function namingNetworks(container: Container): Network[] {
  const networks: Network[] = [];
  for (let i = 0; i < container.endpoints.length; i++) {
    const network = namingNetwork(container.endpoints[i]);
    if (network !== null) networks.push(network);
  }
  return networks;
}

/** The container has joined its networks. Returns the number of commands. */
export function tellNames(container: Container, task: Task, step: i32): i32 {
  let count = 0;
  for (let i = 0; i < container.endpoints.length; i++) {
    const endpoint = container.endpoints[i];
    const network = namingNetwork(endpoint);
    if (network === null) continue;
    askNetworks(task, step, new NetworkCommandName(endpointNames(container, endpoint, network)));
    count += 1;
  }
  return count == 0 ? 0 : count + tellResolver(container, task, step);
}

/** The container has joined one more network. Its names on the others stay. Returns the number of commands. */
export function tellNamesOn(container: Container, endpoint: Endpoint, task: Task, step: i32): i32 {
  const network = namingNetwork(endpoint);
  if (network === null) return 0;
  askNetworks(task, step, new NetworkCommandName(endpointNames(container, endpoint, network)));
  return 1 + tellResolver(container, task, step);
}

/** The container has left a network. What is left answers for the others, or only for names elsewhere. */
export function tellResolver(container: Container, task: Task, step: i32): i32 {
  askNetworks(task, step, new NetworkCommandServeNames(resolverOf(container, namingNetworks(container))));
  return 1;
}

/** After a rename, or at a restart of the engine, which may have been killed before the host had the names. */
export function tellNamesAgain(container: Container): void {
  tellNames(container, new Ignored(), 0);
}
