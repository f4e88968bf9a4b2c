// The removal of a network: first its record says so, then the host removes it, then the record goes. So a removal
// that a crash interrupts is completed.

import { Failure, NetworkCommandDrop, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { networkEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { failureText } from "../failure/text";
import { acting, ENGINE_START } from "../origin";
import { tellMended } from "../records/found";
import { Task } from "../task";
import { resumeCalls } from "../waiting-calls";
import { Network } from "./network";
import { networkStore } from "./store";

/** Anyone who is told the result of a network's removal. */
export abstract class NetworkRemovalClient {
  abstract removed(network: Network): void;

  /** `why`: the host's error. The network stays. */
  abstract failed(network: Network, why: string): void;
}

/** Nobody waits for the removal. */
class NoClient extends NetworkRemovalClient {
  removed(_network: Network): void {}

  failed(_network: Network, _why: string): void {}
}

class NetworkRemoval extends Task {
  constructor(
    private readonly network: Network,
    private readonly client: NetworkRemovalClient,
  ) {
    super();
  }

  begin(): void {
    askNetworks(this, 0, new NetworkCommandDrop(this.network.id));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const network = this.network;
    if (failure === null) {
      networkStore.remove(network);
      eventRing.emit(networkEvent(network, "destroy"));
      this.client.removed(network);
    } else {
      mark(network, false);
      // The host may have removed a part of it.
      network.made = false;
      this.client.failed(network, failureText(failure));
    }
    resumeCalls(network.queue);
  }
}

/** Removes a network without containers. */
export function beginNetworkRemoval(network: Network, client: NetworkRemovalClient): void {
  mark(network, true);
  network.made = false;
  new NetworkRemoval(network, client).begin();
}

function mark(network: Network, removing: bool): void {
  network.removing = removing;
  networkStore.put(network);
}

/** Continues the removals that the end of the engine interrupted. */
export function resumeNetworkRemovals(): void {
  acting.alone(ENGINE_START);
  const networks = networkStore.all();
  for (let i = 0; i < networks.length; i++) {
    if (!networks[i].removing) continue;
    tellMended(`network ${networks[i].name}`, "its removal continues");
    new NetworkRemoval(networks[i], new NoClient()).begin();
  }
}
