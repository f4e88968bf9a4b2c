// Makes all networks that the host knows at every open: making one that
// exists already repairs its firewall rules and published ports.

import { Failure, NetworkCommandDrop, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { Task } from "../task";
import { NetworkCreation } from "./creation";
import { makeCommand } from "./make-command";
import { Network } from "./network";
import { networkStore } from "./store";

/**
 * `strays`: unknown networks to drop. They go first, since one of them may have the interface that another one needs.
 */
export function makeBridges(strays: string[]): void {
  if (strays.length == 0) return makeAll();
  const dropping = new Dropping(strays.length);
  for (let i = 0; i < strays.length; i++) askNetworks(dropping, 0, new NetworkCommandDrop(strays[i]));
}

function makeAll(): void {
  const networks = networkStore.all();
  for (let i = 0; i < networks.length; i++) {
    const network = networks[i];
    if (!network.hasPlaces || network.removing) continue;
    if (network.creating) new NetworkCreation(null, network).make();
    else askNetworks(new Making(network), 0, makeCommand(network));
  }
}

class Dropping extends Task {
  constructor(private open: i32) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {
    this.open -= 1;
    if (this.open == 0) makeAll();
  }
}

/**
 * If a network could not be made, the first container that needs it tries again, and tells its client about an error.
 */
class Making extends Task {
  constructor(private readonly network: Network) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    this.network.made = failure === null && !this.network.removing;
  }
}
