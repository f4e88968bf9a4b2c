// POST /containers/{id}/stop: a signal, a time to obey it, then SIGKILL (surface §2.16).

import {
  Failure,
  Outcome,
  ProcessCommandResume,
  ProcessCommandSignal,
  Signal,
  Subject,
} from "../../../build/bindings/types";
import { integerOf, ParsedInteger } from "../api/parameters";
import { askProcesses, cancelTimer, wakeAfter } from "../ask";
import { Call } from "../call";
import { containerEvent, emitContainer } from "../event/emit";
import { badParameter, internal, notModified, Refusal } from "../refusal";
import { sendEmpty } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { Container } from "./container";
import { Cause, Status } from "./lifecycle";
import { RunEnd } from "./run-end";
import { parseSignal, SIGKILL, SIGTERM } from "./signals";

/** Docker's default time to obey, in seconds. */
const DEFAULT_TIMEOUT = 10;
/** The version that has `signal`. */
const WITH_SIGNAL = 42;
const SECOND: u64 = 1_000_000_000;

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
  return container.stopTimeout >= 0 ? container.stopTimeout : DEFAULT_TIMEOUT;
}

/** Sends a signal and tells of it. */
export function sendSignal(task: Task, step: i32, container: Container, signal: u32): void {
  const subject = new Subject(container.id, container.run);
  askProcesses(task, step, new ProcessCommandSignal(new Signal(subject, signal)));
  engine.events.emit(containerEvent(container, "kill").with("signal", signal.toString()));
}

/** A frozen process takes no signal but SIGKILL: it is thawed. */
export function thaw(task: Task, step: i32, container: Container): void {
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  askProcesses(task, step, new ProcessCommandResume(new Subject(container.id, container.run)));
}

class Stop extends RunEnd {
  private readonly task: StopTask;

  constructor(
    container: Container,
    private readonly call: Call,
    signal: u32,
    seconds: i64,
  ) {
    super();
    this.task = new StopTask(container, signal, seconds);
    container.runEnds.push(this);
  }

  begin(): void {
    this.task.begin();
  }

  runEnded(container: Container): void {
    this.task.runEnded();
    emitContainer(container, "stop");
    sendEmpty(this.call, 204);
  }
}

class StopTask extends Task {
  private timer: u64 = 0;

  constructor(
    private readonly container: Container,
    private readonly signal: u32,
    /** Less than 0: forever. */
    private readonly seconds: i64,
  ) {
    super();
  }

  begin(): void {
    sendSignal(this, 0, this.container, this.signal);
    thaw(this, 0, this.container);
    if (this.signal == SIGKILL || this.seconds < 0) return;
    if (this.seconds == 0) sendSignal(this, 0, this.container, SIGKILL);
    else this.timer = wakeAfter(this, 0, <u64>this.seconds * SECOND);
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    this.timer = 0;
    if (this.container.running) sendSignal(this, 0, this.container, SIGKILL);
  }

  runEnded(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }
}
