// POST /containers/{id}/restart (surface §2.16): ends the run as a stop does, then starts another one. The record says
// so as soon as the request is accepted, so that a crash in between does not leave the container stopped.

import { integerOf, ParsedInteger } from "../../api/parameters";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { startNow } from "../start/start";
import { StartClient } from "../start/start-client";
import { Ending, ownSignalOf, signalOf, timeoutOf } from "../stop/stop-timeout";
import { containerStore } from "../store";
import { cancelRestart } from "./backoff";

const GOING = "container is marked for removal and cannot be started";

/** Every error is a 500, except for a container that does not exist (surface §1.2). */
export function restartContainer(call: Call): Refusal | null {
  const timeout = integerOf(call.query, "t");
  if (timeout.error.length > 0) return internal(timeout.error);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  const restarting = container.restarting && container.status != Status.Starting;
  if (container.between && !restarting) {
    container.queue.push(call);
    return null;
  }
  if (!container.up && !container.can(Cause.Start)) return cannotRestart(call, GOING);
  const signal = signalOf(container, call);
  if (signal == 0) return cannotRestart(call, `invalid signal: ${call.query.first("signal")}`);

  // Accepted from here on: the work continues even if the client disconnects.
  if (container.running) new Restart(container, call, signal, timeoutOf(container, timeout)).begin();
  else if (restarting) restartAtOnce(container, call);
  else startNow(container, new RestartCalls(container, [call]));
  return null;
}

/** The restart policy would have started the container later. */
function restartAtOnce(container: Container, call: Call): void {
  cancelRestart(container);
  emitContainer(container, "stop");
  container.startsAgain = true;
  container.restarts.push(call);
  if (container.can(Cause.Start)) startAgain(container);
}

/** The run is over; the pending restarts follow. */
export function startAgain(container: Container): void {
  startNow(container, new RestartCalls(container, container.restarts.splice(0)));
}

/** A removal came first, so the pending restarts are refused. */
export function refuseRestarts(container: Container): void {
  container.startsAgain = false;
  const calls = container.restarts.splice(0);
  for (let i = 0; i < calls.length; i++) sendRefusal(calls[i], cannotRestart(calls[i], GOING));
}

/** Continues a restart that was interrupted. Whether the signal was sent is unknown. */
export function resumeRestart(container: Container): void {
  if (container.running) {
    const seconds = timeoutOf(container, new ParsedInteger());
    new Restart(container, null, ownSignalOf(container), seconds).begin();
  } else if (container.status == Status.Exited) startAgain(container);
}

function cannotRestart(call: Call, message: string): Refusal {
  return internal(`Cannot restart container ${call.name}: ${message}`);
}

class Restart extends Ending {
  constructor(
    container: Container,
    /** Null if the client was connected to an earlier engine. */
    private readonly call: Call | null,
    signal: u32,
    seconds: i64,
  ) {
    super(container, signal, seconds);
  }

  begin(): void {
    this.container.startsAgain = true;
    this.container.touch();
    super.begin();
  }

  /** Also called if another client asked for the end of the run. */
  ranOut(): void {
    const container = this.container;
    emitContainer(container, "stop");
    container.startsAgain = true;
    const call = this.call;
    if (call !== null) container.restarts.push(call);
  }

  failed(message: string): void {
    this.container.startsAgain = false;
    this.container.touch();
    const call = this.call;
    if (call !== null) sendRefusal(call, cannotRestart(call, message));
  }
}

/** The clients whose restart includes this start. */
class RestartCalls extends StartClient {
  constructor(
    private readonly container: Container,
    private readonly calls: Call[],
  ) {
    super();
  }

  started(): void {
    emitContainer(this.container, "restart");
    for (let i = 0; i < this.calls.length; i++) sendEmpty(this.calls[i], 204);
  }

  refused(refusal: Refusal): void {
    for (let i = 0; i < this.calls.length; i++) {
      sendRefusal(this.calls[i], cannotRestart(this.calls[i], refusal.message));
    }
  }
}
