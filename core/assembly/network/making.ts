// Bridge networks are made at every open: to make one that is there mends its firewall rules and published ports.

import { Failure, NetworkCommandMake, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { engine } from "../state";
import { Task } from "../task";
import { Network } from "./network";

export function makeBridges(): void {
  const networks = engine.networks.all();
  for (let i = 0; i < networks.length; i++) {
    if (networks[i].driver == "bridge") {
      askNetworks(new Making(networks[i]), 0, new NetworkCommandMake(networks[i].asBridge()));
    }
  }
}

/** One that could not be made is tried again by the first container that needs it, and tells its client why. */
class Making extends Task {
  constructor(private readonly network: Network) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.network.made = failure === null;
  }
}
