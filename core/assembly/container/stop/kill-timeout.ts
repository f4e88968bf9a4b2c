// SIGKILL, and an end to waiting for what it should bring (surface §2.16): not even that ends a process that hangs in
// the kernel.

import { cancelTimer, wakeAfter } from "../../ask";
import { acting, STOP_TIMEOUT } from "../../origin";
import { Task } from "../../task";
import { Container, RunEnd } from "../container";
import { leaveRunEnd } from "../exit/run-end";
import { sendSignal, thaw } from "./send-signal";
import { SIGKILL } from "./signals";

/** Ten seconds, and two more for a second try. */
const PATIENCE: i64 = 12;
const SECOND: u64 = 1_000_000_000;
const NO_EXIT = "tried to kill container, but did not receive an exit event";

/** Step of the SIGKILL, and of the timer that gives up on it. */
export const KILL_STEP: i32 = 1;

/** A work that ends a run. */
export abstract class Killing extends Task implements RunEnd {
  private timer: u64 = 0;

  constructor(protected readonly container: Container) {
    super();
  }

  /** The run has ended; timers are called off. */
  abstract ranOut(): void;

  /** It cannot be ended, and nothing more will be tried. */
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
    thaw(this.container); // with v1's freezer nothing frozen dies
    this.wake(KILL_STEP, PATIENCE);
  }

  /** One timer at a time: the last one asked for. */
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
