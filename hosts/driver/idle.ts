// Reports when nothing has happened for a while, with only one timer at a time however much happens.

import type { Alarms } from "./alarms.js";
import type { Clock } from "../shared/index.js";

const IDLE_NS = 200_000_000n;

export class Idle {
  readonly #clock: Clock;
  readonly #alarms: Alarms;
  readonly #idle: () => void;
  #last = 0n;
  #alarm: (() => void) | null = null;

  /** `idle` is called once after each burst of activity. */
  constructor(clock: Clock, alarms: Alarms, idle: () => void) {
    this.#clock = clock;
    this.#alarms = alarms;
    this.#idle = idle;
  }

  /** Something happened at this monotonic time. */
  happened(at: bigint): void {
    this.#last = at;
    this.#alarm ??= this.#alarms.at(at + IDLE_NS, () => this.#due());
  }

  callOff(): void {
    this.#alarm?.();
    this.#alarm = null;
  }

  #due(): void {
    this.#alarm = null;
    const due = this.#last + IDLE_NS;
    if (this.#clock.now().monotonic < due) this.#alarm = this.#alarms.at(due, () => this.#due());
    else this.#idle();
  }
}
