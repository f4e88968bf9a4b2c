// The network of a container, whether it is running or not.

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { otherIn } from "../container/spec/namespaces";
import { internal, Refusal } from "../refusal";
import { lookUpNetwork } from "./look-up";
import { Network } from "./network";
import { networkStore } from "./store";

/**
 * The network that the container is connected to, or will be connected to when it starts; null if there is none. A
 * container that shares another container's network has no network of its own.
 */
export function networkOf(container: Container): Network | null {
  if (container.networkDisabled || otherIn(container.networkMode).length > 0) return null;
  const endpoint = container.endpoint;
  const joined: Network | null = endpoint === null ? null : networkStore.find(endpoint.networkId);
  return joined === null ? lookUpNetwork(container.networkName).network : joined;
}

/** `network`: a name or an id. */
export function isOn(container: Container, network: string): bool {
  if (container.networkDisabled) return false;
  if (container.networkName == network) return true;
  const own = networkOf(container);
  return own !== null && (own.name == network || own.id == network);
}

export function refuseLeaving(container: Container): Refusal | null {
  if (container.status != Status.Removing && container.status != Status.Dead) return null;
  return internal(
    `Container ${container.id} is marked for removal and cannot be connected or disconnected to the network`,
  );
}
