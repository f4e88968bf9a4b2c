// Sends signals to a container's first process.

import { ProcessCommandSignal, Signal, Subject } from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { containerEvent, emitContainer } from "../../event/emit";
import { eventRing } from "../../event/ring";
import { Task } from "../../task";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { goOn } from "../pause/held-still";
import { SIGKILL } from "./signals";

/** Sends a signal and emits the event. */
export function sendSignal(task: Task, step: i32, container: Container, signal: u32): void {
  if (signal == SIGKILL) container.killedRun = container.run;
  const subject = new Subject(container.id, container.run);
  askProcesses(task, step, new ProcessCommandSignal(new Signal(subject, signal)));
  eventRing.emit(containerEvent(container, "kill").with("signal", signal.toString()));
}

/**
 * A frozen process handles no signal but SIGKILL, so it is thawed.
 * There is no event for thawing a process that SIGKILL ends.
 */
export function thaw(container: Container): void {
  if (container.status != Status.Paused) return;
  container.advance(Cause.Unpause);
  if (container.killedRun != container.run) emitContainer(container, "unpause");
  goOn(container);
}
