// POST /containers/{id}/pause and /unpause (surface §2.15): freezes and thaws all processes of a run.

import {
  Failure,
  Outcome,
  ProcessCommand,
  ProcessCommandPause,
  ProcessCommandResume,
  Subject,
} from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { hasEnded } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { conflict, internal, Refusal } from "../../refusal";
import { sendEmpty, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { restartingText } from "../restart/backoff";
import { thaw } from "../stop/send-signal";
import { containerStore } from "../store";
import { holdStill, letGoOn } from "./held-still";

export function pauseContainer(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (container.restarting) return conflict(restartingText(container));
  // A run that is being thawed counts as running; it can be frozen again afterwards.
  const thaws = container.status == Status.Running && container.holders > 0;
  if (container.between || thaws) {
    container.queue.push(call);
    return null;
  }
  if (container.status == Status.Paused) return conflict(`container ${container.id} is already paused`);
  if (!container.running) return conflict(`container ${container.id} is not running`);

  // Accepted from here on: the work continues even if the client disconnects.
  new Turn(container, call, Cause.Pause).begin();
  return null;
}

export function unpauseContainer(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  // A commit that keeps the run frozen ends first, and thaws the run itself.
  const held = container.status == Status.Paused && container.holders > 0;
  if ((container.between && !container.restarting) || held) {
    container.queue.push(call);
    return null;
  }
  if (container.status != Status.Paused) return internal(`Container ${container.id} is not paused`);

  // The request is accepted from here on.
  new Turn(container, call, Cause.Unpause).begin();
  return null;
}

/**
 * Freezes or thaws a run. If the engine crashes before it can
 * tell the client, a freeze is undone and a thaw is completed.
 */
class Turn extends Task {
  private readonly run: u32;

  constructor(
    private readonly container: Container,
    private readonly call: Call,
    private readonly cause: Cause,
  ) {
    super();
    this.run = container.run;
  }

  begin(): void {
    holdStill(this.container);
    this.container.turning = true;
    askProcesses(this, 0, this.command());
  }

  ended(_step: i32, _outcome: Outcome | null, failure: Failure | null): void {
    const container = this.container;
    container.turning = false;
    letGoOn(container, this.run);
    const refusal = this.refusalOf(failure);
    if (refusal === null) this.turned();
    else sendRefusal(this.call, refusal);
    resumeCalls(container.queue);
  }

  private command(): ProcessCommand {
    const subject = new Subject(this.container.id, this.run);
    if (this.cause == Cause.Pause) return new ProcessCommandPause(subject);
    return new ProcessCommandResume(subject);
  }

  /** The process may have ended meanwhile, with its exit still on the way. */
  private refusalOf(failure: Failure | null): Refusal | null {
    const container = this.container;
    const pauses = this.cause == Cause.Pause;
    const gone = failure !== null && hasEnded(failure);
    if (gone || container.run != this.run || !container.can(this.cause)) {
      if (pauses) return conflict(`container ${container.id} is not running`);
      return internal(`Container ${container.id} is not paused`);
    }
    if (failure === null) return null;
    return internal(`cannot ${pauses ? "pause" : "unpause"} container ${container.id}: ${failureText(failure)}`);
  }

  private turned(): void {
    this.container.advance(this.cause);
    emitContainer(this.container, this.cause == Cause.Pause ? "pause" : "unpause");
    sendEmpty(this.call, 204);
    // A process that was frozen before SIGKILL took effect would never end: the freezer of cgroup v1 blocks SIGKILL.
    if (this.container.killedRun == this.run) thaw(this.container);
  }
}
