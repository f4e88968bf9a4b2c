// POST /containers/{id}/kill (surface §2.16).

import { Failure, Outcome } from "../../../../build/bindings/types";
import { Call } from "../../call";
import { failureText } from "../../failure/text";
import { badParameter, conflict, internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Container } from "../container";
import { Status } from "../lifecycle";
import { endRestarting } from "../restart/backoff";
import { disarm, disarms, markStopped } from "../restart/restart-policy";
import { containerStore } from "../store";
import { KILL_STEP, Killing } from "./kill-timeout";
import { isRefused } from "./refused-signal";
import { sendSignal, thaw } from "./send-signal";
import { isSignal, parseSignal, SIGKILL } from "./signals";

export function killContainer(call: Call): Refusal | null {
  const word = call.query.first("signal");
  const signal = word.length == 0 ? SIGKILL : parseSignal(word);
  if (signal == 0) return badParameter(`invalid signal: ${word}`);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return refuseUnknown(call.name, lookup.refusal!);
  if (container.status == Status.Starting || container.turning) {
    container.queue.push(call);
    return null;
  }
  if (!container.up) {
    return conflict(`cannot kill container: ${call.name}: container ${container.id} is not running`);
  }

  if (!isSignal(signal)) {
    return internal(
      `cannot kill container: ${call.name}: the linux daemon does not support signal ${signal.toString()}`,
    );
  }

  // The request is accepted from here on.
  if (container.restarting) killRestarting(container, call, signal);
  else new Kill(container, call, signal).begin();
  return null;
}

/** There is no process to send the signal to. */
function killRestarting(container: Container, call: Call, signal: u32): void {
  if (disarms(container, signal)) endRestarting(container);
  else markStopped(container);
  sendEmpty(call, 204);
}

function refuseUnknown(name: string, refusal: Refusal): Refusal {
  return new Refusal(refusal.kind, `cannot kill container: ${name}: ${refusal.message}`);
}

class Kill extends Killing {
  constructor(
    container: Container,
    private readonly call: Call,
    private readonly signal: u32,
  ) {
    super(container);
  }

  begin(): void {
    if (disarms(this.container, this.signal)) disarm(this.container);
    else markStopped(this.container);
    if (this.signal != SIGKILL) return sendSignal(this, 0, this.container, this.signal);
    this.container.runEnds.push(this);
    this.kill();
  }

  /** SIGKILL is answered when the run has ended, any other signal when it has been sent. */
  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (isRefused(failure)) {
      if (step == KILL_STEP) this.giveUp(failureText(failure!));
      else this.failed(failureText(failure!));
      return;
    }
    if (disarms(this.container, this.signal)) thaw(this.container);
    if (step != KILL_STEP) this.answer();
  }

  ranOut(): void {
    this.answer();
  }

  failed(message: string): void {
    sendRefusal(this.call, internal(`cannot kill container: ${this.call.name}: ${message}`));
  }

  private answer(): void {
    this.container.tell();
    sendEmpty(this.call, 204);
  }
}
