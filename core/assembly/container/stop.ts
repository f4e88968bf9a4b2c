// POST /containers/{id}/stop: a signal, a time to obey it, then SIGKILL (surface §2.16).

import { Failure, Outcome } from "../../../build/bindings/types";
import { integerOf, ParsedInteger } from "../api/parameters";
import { Call } from "../call";
import { emitContainer } from "../event/emit";
import { badParameter, internal, notModified, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { engine } from "../state";
import { Container, NO_TIMEOUT } from "./container";
import { KILL_STEP, Killing } from "./killing";
import { Status } from "./lifecycle";
import { isRefused, sendSignal, thaw } from "./send-signal";
import { parseSignal, SIGKILL, SIGTERM } from "./signals";

/** Docker's default time to obey, in seconds. */
const DEFAULT_TIMEOUT = 10;
/** The version that has `signal`. */
const WITH_SIGNAL = 42;
/** Step of the first signal, and of the timer that ends waiting for it. */
const SIGNAL_STEP: i32 = 0;
/** Seconds that are waited for a container that the signal could not be sent to. */
const AFTER_FAILED_SIGNAL: i64 = 2;
/** Whoever gives more seconds means forever. */
const LONGEST_TIMEOUT: i64 = 1 << 32;

export function stopContainer(call: Call): Refusal | null {
  const timeout = integerOf(call.query, "t");
  if (timeout.error.length > 0) return badParameter(timeout.error);
  const lookup = engine.containers.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.status == Status.Starting || container.turning) {
    container.queue.push(call);
    return null;
  }
  if (!container.running) return notModified();
  const signal = signalOf(container, call);
  if (signal == 0) return internal(`invalid signal: ${call.query.first("signal")}`);

  // Accepted from here: it goes on if the client goes away.
  new Stop(container, call, signal, timeoutOf(container, timeout)).begin();
  return null;
}

function signalOf(container: Container, call: Call): u32 {
  const wanted = call.version >= WITH_SIGNAL ? call.query.first("signal") : "";
  if (wanted.length > 0) return parseSignal(wanted);
  return container.stopSignal > 0 ? container.stopSignal : SIGTERM;
}

function timeoutOf(container: Container, given: ParsedInteger): i64 {
  if (given.given) return given.value;
  return container.stopTimeout == NO_TIMEOUT ? DEFAULT_TIMEOUT : container.stopTimeout;
}

class Stop extends Killing {
  constructor(
    container: Container,
    private readonly call: Call,
    private readonly signal: u32,
    /** Less than 0: forever. */
    private readonly seconds: i64,
  ) {
    super(container);
  }

  begin(): void {
    this.container.runEnds.push(this);
    if (this.signal != SIGKILL) sendSignal(this, SIGNAL_STEP, this.container, this.signal);
    thaw(this.container);
    if (this.signal == SIGKILL || this.seconds == 0) this.kill();
    else if (this.seconds > 0 && this.seconds <= LONGEST_TIMEOUT) this.wake(SIGNAL_STEP, this.seconds);
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (!isRefused(failure) || !this.waits) return;
    if (step == KILL_STEP) this.giveUp(failure!.message);
    else if (this.seconds != 0) this.wake(SIGNAL_STEP, AFTER_FAILED_SIGNAL);
  }

  ranOut(): void {
    emitContainer(this.container, "stop");
    sendEmpty(this.call, 204);
  }

  failed(message: string): void {
    sendRefusal(this.call, internal(`cannot stop container: ${this.call.name}: ${message}`));
  }
}
