// The delay between a run and the restart that its policy decided on (surface §2.17). It counts from the end of the
// run; the run's resources are released meanwhile.

import { Failure, Outcome } from "../../../../build/bindings/types";
import { cancelTimer, wakeAfter } from "../../ask";
import { releasingHolder } from "../../network/endpoint/releasing-holder";
import { acting, RESTART_POLICY } from "../../origin";
import { Refusal } from "../../refusal";
import { Task } from "../../task";
import { Backoff, Container } from "../container";
import { answerWaiters } from "../exit/wait";
import { Condition } from "../exit/waiter";
import { Cause, Status } from "../lifecycle";
import { awaitsLinked, PATIENCE } from "../links/links-of-run";
import { startNow } from "../start/start";
import { StartClient } from "../start/start-client";
import { containerSizes } from "../usage/sizes";
import { disarm } from "./restart-policy";

/**
 * Called at the end of a run, and at a restart of the engine. The elapsed
 * part of a delay is not stored, so the whole delay begins again.
 */
export function scheduleRestart(container: Container): void {
  acting.alone(`${RESTART_POLICY}${container.policy.name}`);
  const delay = new Delay(container);
  container.backoff = delay;
  delay.wait(<u64>container.restartDelay);
}

/** A client ends the restarting: no run follows, and exit code and times stay those of the last run. */
export function cancelRestart(container: Container): void {
  const backoff = container.backoff;
  if (backoff !== null) backoff.cancel();
  container.backoff = null;
  disarm(container);
  container.advance(Cause.Cancel);
  answerWaiters(container, Condition.NextExit);
}

/**
 * The same, where nothing else follows: the files written by
 * the last run were not counted while another run was to come.
 */
export function endRestarting(container: Container): void {
  cancelRestart(container);
  if (container.status == Status.Exited) containerSizes.changed(container);
}

/** Refusal for a container that has no process now but will have one again (surface §2.15). */
export function restartingText(container: Container): string {
  return `Container ${container.id} is restarting, wait until the container is running`;
}

class Delay extends Task implements Backoff {
  private timer: u64 = 0;
  private due: bool = false;

  constructor(private readonly container: Container) {
    super();
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    this.timer = 0;
    this.due = true;
    this.released();
  }

  /** The next run waits for both the delay and the release. */
  released(): void {
    const container = this.container;
    if (!this.due || container.status != Status.Restarting) return;
    if (releasingHolder(container) !== null || awaitsLinked(container)) return this.wait(PATIENCE);
    container.backoff = null;
    startNow(container, new Nobody());
  }

  wait(nanoseconds: u64): void {
    this.due = false;
    this.timer = wakeAfter(this, 0, nanoseconds);
  }

  cancel(): void {
    if (this.timer != 0) cancelTimer(this.timer);
  }
}

/** An automatic start has no client. An error is stored in `State.Error`, and the start is not repeated. */
class Nobody extends StartClient {
  started(): void {}

  refused(_refusal: Refusal): void {}
}
