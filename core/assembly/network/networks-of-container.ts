// The network of a container, whether it is running or not.

import { Container } from "../container/container";
import { Status } from "../container/lifecycle";
import { internal, Refusal } from "../refusal";

/** A container that shares another's network is on none of its own. */
export function isOn(container: Container, network: string): bool {
  return !container.networkDisabled && container.networkName == network;
}

export function refuseLeaving(container: Container): Refusal | null {
  if (container.status != Status.Removing && container.status != Status.Dead) return null;
  return internal(
    `Container ${container.id} is marked for removal and cannot be connected or disconnected to the network`,
  );
}
