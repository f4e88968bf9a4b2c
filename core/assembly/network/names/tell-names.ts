// Tells the host about the names of containers that run on user-defined networks.

import { NetworkCommandName, NetworkCommandServeNames } from "../../../../build/bindings/types";
import { askNetworks } from "../../ask";
import { Container } from "../../container/container";
import { Ignored } from "../../ignored";
import { Task } from "../../task";
import { Network } from "../network";
import { networkStore } from "../store";
import { endpointNames } from "./names-on-network";
import { resolverOf } from "./resolver";

/** The user-defined network on which the container has names; null if there is none. */
export function namingNetwork(container: Container): Network | null {
  const endpoint = container.endpoint;
  const network: Network | null = endpoint === null ? null : networkStore.find(endpoint.networkId);
  return network === null || network.isBuiltIn ? null : network;
}

/** The container has joined its network. Returns the number of commands. */
export function tellNames(container: Container, task: Task, step: i32): i32 {
  const network = namingNetwork(container);
  if (network === null) return 0;
  askNetworks(task, step, new NetworkCommandName(endpointNames(container, container.endpoint!)));
  askNetworks(task, step, new NetworkCommandServeNames(resolverOf(container, network)));
  return 2;
}

/** After a rename, or at a restart of the engine, which may have been killed before the host had the names. */
export function tellNamesAgain(container: Container): void {
  tellNames(container, new Ignored(), 0);
}
