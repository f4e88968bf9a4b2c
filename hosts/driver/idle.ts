// Reports when nothing has happened for a while, and then has work done in parts, with only one timer at a time however
// much happens.

import type { Alarms } from "./alarms.js";
import type { Clock } from "../shared/index.js";

const IDLE_NS = 200_000_000n;
/** Between two parts of the work: what has arrived comes first. */
const PAUSE_NS = 1_000_000n;

export class Idle {
  readonly #clock: Clock;
  readonly #alarms: Alarms;
  readonly #idle: () => void;
  readonly #work: () => boolean;
  #last = 0n;
  #told = false;
  #alarm: (() => void) | null = null;

  /**
   * `idle` is called once after each burst of activity. `work` is called after that, again and again until it returns
   * false or something happens.
   */
  constructor(clock: Clock, alarms: Alarms, idle: () => void, work: () => boolean) {
    this.#clock = clock;
    this.#alarms = alarms;
    this.#idle = idle;
    this.#work = work;
  }

  /** Something happened at this monotonic time. */
  happened(at: bigint): void {
    this.#last = at;
    this.#told = false;
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
    else this.#rest();
  }

  #rest(): void {
    if (!this.#told) this.#idle();
    this.#told = true;
    if (this.#work()) this.#alarm = this.#alarms.at(this.#clock.now().monotonic + PAUSE_NS, () => this.#due());
  }
}
