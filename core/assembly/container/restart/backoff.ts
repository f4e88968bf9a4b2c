// The time between a run and the one that its policy lets follow (surface §2.17). The delay counts from the run's end;
// what the run used is given back meanwhile.

import { Failure, Outcome } from "../../../../build/bindings/types";
import { cancelTimer, wakeAfter } from "../../ask";
import { releasingHolder } from "../../network/port-holders";
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

/** At the end of a run, or at a restart of the engine: nobody kept how much of a delay had passed, so all of it passes. */
export function scheduleRestart(container: Container): void {
  acting.alone(`${RESTART_POLICY}${container.policy.name}`);
  const delay = new Delay(container);
  container.backoff = delay;
  delay.wait(<u64>container.restartDelay);
}

/** Somebody ends it during the delay: nothing follows, and code and times are those of the last run. */
export function cancelRestart(container: Container): void {
  const backoff = container.backoff;
  if (backoff !== null) backoff.cancel();
  container.backoff = null;
  disarm(container);
  container.advance(Cause.Cancel);
  answerWaiters(container, Condition.NextExit);
}

/** The same where nothing else follows, either: while another run was to come, what the last one left was not counted. */
export function endRestarting(container: Container): void {
  cancelRestart(container);
  if (container.status == Status.Exited) containerSizes.changed(container);
}

/** What is refused of a container without a process that will have one again (surface §2.15). */
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

  /** Time and release are both waited for. */
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

/** No client asked for it. What fails stands in `State.Error`, and is not tried again. */
class Nobody extends StartClient {
  started(): void {}

  refused(_refusal: Refusal): void {}
}
