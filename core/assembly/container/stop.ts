// POST /containers/{id}/stop: a signal, a time to obey it, then SIGKILL (surface §2.16).

import { Failure, FailureKind, Outcome, ProcessCommandSignal, Signal, Subject } from "../../../build/bindings/types";
import { integerOf, ParsedInteger } from "../api/parameters";
import { askProcesses, cancelTimer, wakeAfter } from "../ask";
import { Call } from "../call";
import { containerEvent, emitContainer } from "../event/emit";
import { goOn } from "../image/held-still";
import { badParameter, internal, notModified, Refusal } from "../refusal";
import { sendEmpty, sendRefusal } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { Container, NO_TIMEOUT } from "./container";
import { Cause, Status } from "./lifecycle";
import { leaveRunEnd, RunEnd } from "./run-end";
import { parseSignal, SIGKILL, SIGTERM } from "./signals";

/** Docker's default time to obey, in seconds. */
const DEFAULT_TIMEOUT = 10;
/** The version that has `signal`. */
const WITH_SIGNAL = 42;
const SECOND: u64 = 1_000_000_000;
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
  if (container.status == Status.Starting) {
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

/** Sends a signal and tells of it. */
export function sendSignal(task: Task, step: i32, container: Container, signal: u32): void {
  const subject = new Subject(container.id, container.run);
  askProcesses(task, step, new ProcessCommandSignal(new Signal(subject, signal)));
  engine.events.emit(containerEvent(container, "kill").with("signal", signal.toString()));
}

/** A frozen process takes no signal but SIGKILL: it is thawed. */
export function thaw(container: Container): void {
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  goOn(container);
}

/** Whether a signal could not be sent. A process that is gone already needs none: its exit is on its way. */
export function isRefused(failure: Failure | null): bool {
  return failure !== null && failure.kind != FailureKind.NotFound;
}

enum Step {
  Signal,
  Kill,
}

class Stop extends Task implements RunEnd {
  private timer: u64 = 0;

  constructor(
    private readonly container: Container,
    private readonly call: Call,
    private readonly signal: u32,
    /** Less than 0: forever. */
    private readonly seconds: i64,
  ) {
    super();
  }

  begin(): void {
    this.container.runEnds.push(this);
    sendSignal(this, this.signal == SIGKILL ? Step.Kill : Step.Signal, this.container, this.signal);
    thaw(this.container);
    if (this.signal == SIGKILL || this.seconds < 0 || this.seconds > LONGEST_TIMEOUT) return;
    if (this.seconds == 0) this.kill();
    else this.killAfter(this.seconds);
  }

  ended(step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    if (!isRefused(failure) || !this.container.runEnds.includes(this)) return;
    if (step == Step.Kill) this.failed(failure!.message);
    else this.killAfter(AFTER_FAILED_SIGNAL);
  }

  elapsed(_step: i32): void {
    this.timer = 0;
    this.kill();
  }

  runEnded(container: Container): void {
    this.cancel();
    emitContainer(container, "stop");
    sendEmpty(this.call, 204);
  }

  /** Not even SIGKILL could be sent. */
  private failed(message: string): void {
    leaveRunEnd(this.container, this);
    this.cancel();
    sendRefusal(this.call, internal(`cannot stop container: ${this.call.name}: ${message}`));
  }

  private kill(): void {
    sendSignal(this, Step.Kill, this.container, SIGKILL);
  }

  private killAfter(seconds: i64): void {
    this.cancel();
    this.timer = wakeAfter(this, 0, <u64>seconds * SECOND);
  }

  private cancel(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }
}
