// Makes a new network: its record first, then the host makes it, then the client is told. If the host fails, what it
// made is removed before the client is told.

import { Failure, NetworkCommandDrop, NetworkCommandMake, Outcome } from "../../../build/bindings/types";
import { askNetworks } from "../ask";
import { Call } from "../call";
import { networkEvent } from "../event/emit";
import { eventRing } from "../event/ring";
import { failureText } from "../failure/text";
import { JsonWriter } from "../json/writer";
import { internal } from "../refusal";
import { line, sendJson, sendRefusal } from "../reply";
import { Task } from "../task";
import { Network } from "./network";
import { takeUpNetworkQueue } from "./queue";
import { networkStore } from "./store";

enum Step {
  Make,
  /** After a failure. */
  Drop,
}

export class NetworkCreation extends Task {
  private why: string = "";

  constructor(
    private readonly call: Call,
    private readonly network: Network,
  ) {
    super();
  }

  begin(): void {
    this.network.untold = true;
    networkStore.add(this.network);
    networkStore.put(this.network);
    askNetworks(this, Step.Make, new NetworkCommandMake(this.network.asBridge()));
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (step == Step.Drop) return this.failed();
    if (failure === null) return this.made();
    this.why = failureText(failure);
    askNetworks(this, Step.Drop, new NetworkCommandDrop(this.network.id));
  }

  private made(): void {
    const network = this.network;
    network.untold = false;
    network.made = true;
    eventRing.emit(networkEvent(network, "create"));
    const json = new JsonWriter().beginObject().stringField("Id", network.id).stringField("Warning", "");
    sendJson(this.call, 201, line(json.endObject()));
    takeUpNetworkQueue(network);
  }

  private failed(): void {
    networkStore.remove(this.network);
    sendRefusal(this.call, internal(this.why));
    takeUpNetworkQueue(this.network);
  }
}
