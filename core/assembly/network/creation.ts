// Makes a new network: its record first, then the host makes it, then the client is told. If the host fails, what it
// made is removed before the client is told.

import { Failure, NetworkCommandDrop, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { Call } from "../call";
import { networkEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { JsonWriter } from "../json/writer";
import { internal } from "../refusal";
import { line, sendJson, sendRefusal } from "../reply";
import { Task } from "../task";
import { resumeCalls } from "../waiting-calls";
import { makeCommand } from "./make-command";
import { Network } from "./network";
import { unmadeText } from "./parent/parent-problems";
import { networkStore } from "./store";

enum Step {
  Make,
  /** After a failure. */
  Drop,
}

export class NetworkCreation extends Task {
  private why: string = "";

  constructor(
    /** Null if the engine that got the request is gone. */
    private readonly call: Call | null,
    private readonly network: Network,
  ) {
    super();
  }

  /** For a network that the host need not make. */
  keep(): void {
    networkStore.add(this.network);
    this.made();
  }

  begin(): void {
    this.network.creating = true;
    networkStore.add(this.network);
    networkStore.put(this.network);
    this.make();
  }

  /** For a network that an earlier engine did not make to the end; making it again is harmless. */
  make(): void {
    askNetworks(this, Step.Make, makeCommand(this.network));
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (step == Step.Drop) return this.failed(failure === null);
    if (failure === null) return this.made();
    this.why = unmadeText(this.network, failure);
    askNetworks(this, Step.Drop, new NetworkCommandDrop(this.network.id));
  }

  private made(): void {
    const network = this.network;
    network.made = true;
    network.creating = false;
    networkStore.put(network);
    eventRing.emit(networkEvent(network, "create"));
    const json = new JsonWriter().beginObject().stringField("Id", network.id).stringField("Warning", "");
    const call = this.call;
    if (call !== null) sendJson(call, 201, line(json.endObject()));
    resumeCalls(network.queue);
  }

  /** `dropped`: nothing of it is left. Else it stays as a network that a client can remove. */
  private failed(dropped: bool): void {
    const network = this.network;
    network.creating = false;
    if (dropped) networkStore.remove(network);
    else networkStore.put(network);
    const call = this.call;
    if (call !== null) sendRefusal(call, internal(this.why));
    resumeCalls(network.queue);
  }
}
