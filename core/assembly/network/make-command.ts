// What the host is asked to make of a network.

import { NetworkCommand, NetworkCommandMake, NetworkCommandMakeParentNetwork } from "../../../build/bindings/types";
import { Network } from "./network";

export function makeCommand(network: Network): NetworkCommand {
  if (network.isOnParent) return new NetworkCommandMakeParentNetwork(network.asParentNetwork());
  return new NetworkCommandMake(network.asBridge());
}
