// What is left of a container whose record was set aside. It stays until a client removes it by force, since its files
// may be the only copy of someone's work.

import {
  ContentCommandDropContainer,
  ContentCommandUnmount,
  Failure,
  NetworkCommandLeaveAll,
  Outcome,
  ProcessCommandReap,
  Subject,
} from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { askContent, askNetworks, askProcesses } from "../../ask";
import { Call } from "../../call";
import { Event } from "../../event/event";
import { eventRing } from "../../event/ring";
import { failureText } from "../../failure/text";
import { layerStore } from "../../image/layers/layer-store";
import { networkStore } from "../../network/store";
import { CONTAINER_RECORDS, HELD_RECORDS } from "../../records/kinds";
import { Remains } from "../../records/remains";
import { setAside } from "../../records/set-aside";
import { conflict, internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { engine } from "../../state";
import { Task } from "../../task";

/** `unknown`: the refusal if the reference means no such container, either. */
export function removeRemains(call: Call, unknown: Refusal): Refusal | null {
  const id = lost(call.name);
  if (id.length == 0) return unknown;
  if (!flagOf(call.query, "force")) {
    return conflict(`cannot remove container "${id}": its record is damaged: force remove to drop what is left of it`);
  }
  const remains = setAside.remainsOf(id);
  if (remains.going) return conflict(`removal of container ${call.name} is already in progress`);

  // Accepted from here on: the work continues even if the client disconnects.
  new Clearance(call, id, remains).begin();
  return null;
}

/** Id of the container; empty if no id, or more than one, has this prefix. */
function lost(reference: string): string {
  if (reference.length == 0) return "";
  const rest = setAside.startingWith(CONTAINER_RECORDS + reference);
  return rest.length == 1 ? reference + rest[0] : "";
}

class Clearance extends Task {
  private open: i32 = 1;
  private failure: string = "";
  private dropping: bool = false;

  constructor(
    private readonly call: Call,
    private readonly id: string,
    private readonly remains: Remains,
  ) {
    super();
  }

  begin(): void {
    const id = this.id;
    const remains = this.remains;
    remains.going = true;
    for (let i = 0; i < remains.runs.length; i++) {
      this.open += 1;
      askProcesses(this, 0, new ProcessCommandReap(new Subject(id, remains.runs[i])));
    }
    this.open += 1;
    askNetworks(this, 0, new NetworkCommandLeaveAll(id));
    askContent(this, 0, new ContentCommandUnmount(id));
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.failure = failureText(failure);
    this.open -= 1;
    if (this.open > 0) return;
    if (this.failure.length > 0) this.failed();
    else if (this.dropping) this.removed();
    else this.drop();
  }

  private drop(): void {
    this.dropping = true;
    this.open = 1;
    askContent(this, 0, new ContentCommandDropContainer(this.id));
  }

  private removed(): void {
    const joins = this.remains.joins;
    for (let i = 0; i < joins.length; i++) {
      networkStore.freeAddress(joins[i].network, joins[i].address, this.id);
    }
    joins.length = 0;
    setAside.forget(CONTAINER_RECORDS + this.id);
    setAside.forget(HELD_RECORDS + this.id);
    layerStore.forgetLost();
    eventRing.emit(new Event("container", "destroy", this.id, engine.now.wall));
    sendEmpty(this.call, 204);
  }

  private failed(): void {
    this.remains.going = false;
    sendRefusal(this.call, internal(`cannot remove container "${this.id}": ${this.failure}`));
  }
}
