// A container's endpoints and their networks, whether the container is running or not.

import { Container } from "../../container/container";
import { Status } from "../../container/lifecycle";
import { internal, Refusal } from "../../refusal";
import { lookUpNetwork } from "../look-up";
import { Network } from "../network";
import { networkStore } from "../store";
import { Endpoint } from "./endpoint";

/** The endpoint's network; null if there is none. If the one it was on is gone, another one may have its name now. */
export function networkOf(endpoint: Endpoint): Network | null {
  const last: Network | null = endpoint.networkId.length == 0 ? null : networkStore.find(endpoint.networkId);
  if (endpoint.place !== null || (last !== null && !last.removing)) return last;
  return lookUpNetwork(endpoint.network).network;
}

/** The name of the endpoint's network, as clients see it. */
export function networkNameOf(endpoint: Endpoint): string {
  const network = networkOf(endpoint);
  return network === null ? endpoint.network : network.name;
}

/** The container's endpoint on a network; null if it has none. `reference`: what the client calls the network. */
export function endpointOn(container: Container, network: Network | null, reference: string): Endpoint | null {
  const all = container.endpoints;
  for (let i = 0; i < all.length; i++) {
    if (network !== null ? networkOf(all[i]) === network : all[i].network == reference) return all[i];
  }
  return null;
}

export function refuseLeaving(container: Container): Refusal | null {
  if (container.status != Status.Removing && container.status != Status.Dead) return null;
  return internal(
    `Container ${container.id} is marked for removal and cannot be connected or disconnected to the network`,
  );
}
