// SIGKILL, and a limit to waiting for its effect (surface §2.16):
// even SIGKILL does not end a process that hangs in the kernel.

import { cancelTimer, wakeAfter } from "../../ask";
import { acting, STOP_TIMEOUT } from "../../origin";
import { Task } from "../../task";
import { Container, RunEnd } from "../container";
import { leaveRunEnd } from "../exit/run-end";
import { sendSignal, thaw } from "./send-signal";
import { SIGKILL } from "./signals";

/** Seconds: ten, and two more for a second attempt. */
const PATIENCE: i64 = 12;
const SECOND: u64 = 1_000_000_000;
const NO_EXIT = "tried to kill container, but did not receive an exit event";

/** Step of the SIGKILL, and of the timer after which it is given up. */
export const KILL_STEP: i32 = 1;

/** An operation that ends a run. */
export abstract class Killing extends Task implements RunEnd {
  private timer: u64 = 0;

  constructor(protected readonly container: Container) {
    super();
  }

  /** The run has ended; timers are cancelled. */
  abstract ranOut(): void;

  /** The run cannot be ended; no further attempts follow. */
  abstract failed(message: string): void;

  runEnded(_container: Container): void {
    this.cancel();
    this.ranOut();
  }

  elapsed(step: i32): void {
    this.timer = 0;
    if (step == KILL_STEP) return this.giveUp(NO_EXIT);
    acting.because(STOP_TIMEOUT);
    this.container.ender = acting.origin;
    this.kill();
  }

  protected kill(): void {
    sendSignal(this, KILL_STEP, this.container, SIGKILL);
    thaw(this.container); // the freezer of cgroup v1 blocks SIGKILL
    this.wake(KILL_STEP, PATIENCE);
  }

  /** There is one timer at a time; a new one replaces the old one. */
  protected wake(step: i32, seconds: i64): void {
    this.cancel();
    this.timer = wakeAfter(this, step, <u64>seconds * SECOND);
  }

  protected get waits(): bool {
    return this.container.runEnds.includes(this);
  }

  protected giveUp(message: string): void {
    this.cancel();
    if (leaveRunEnd(this.container, this)) this.failed(message);
  }

  private cancel(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }
}
