// POST /containers/{id}/kill (surface §2.16).

import { Failure, Outcome } from "../../../build/bindings/types";
import { Call } from "../call";
import { badParameter, conflict, internal, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { Container } from "./container";
import { Status } from "./lifecycle";
import { leaveRunEnd, RunEnd } from "./run-end";
import { parseSignal, SIGKILL } from "./signals";
import { isRefused, sendSignal, thaw } from "./stop";

export function killContainer(call: Call): Refusal | null {
  const word = call.query.first("signal");
  const signal = word.length == 0 ? SIGKILL : parseSignal(word);
  if (signal == 0) return badParameter(`invalid signal: ${word}`);
  const lookup = engine.containers.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return refuseUnknown(call.name, lookup.refusal!);
  if (container.status == Status.Starting) {
    container.queue.push(call);
    return null;
  }
  if (!container.running) {
    return conflict(`cannot kill container: ${call.name}: container ${container.id} is not running`);
  }

  // Accepted from here.
  new Kill(container, call, signal).begin();
  return null;
}

function refuseUnknown(name: string, refusal: Refusal): Refusal {
  return new Refusal(refusal.kind, `cannot kill container: ${name}: ${refusal.message}`);
}

class Kill extends Task implements RunEnd {
  constructor(
    private readonly container: Container,
    private readonly call: Call,
    private readonly signal: u32,
  ) {
    super();
  }

  begin(): void {
    if (this.signal == SIGKILL) this.container.runEnds.push(this);
    sendSignal(this, 0, this.container, this.signal);
  }

  /** SIGKILL is answered when the run has ended, any other signal when it has been sent. */
  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (isRefused(failure)) {
      if (this.signal == SIGKILL && !leaveRunEnd(this.container, this)) return;
      return sendRefusal(this.call, internal(`cannot kill container: ${this.call.name}: ${failure!.message}`));
    }
    thaw(this.container);
    if (this.signal != SIGKILL) sendEmpty(this.call, 204);
  }

  runEnded(_container: Container): void {
    sendEmpty(this.call, 204);
  }
}
