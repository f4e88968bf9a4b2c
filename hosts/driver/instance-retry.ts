// Remembers recent failures of the core's instances, to decide whether to try another one, and how soon.

import type { Alarms } from "./alarms.js";
import type { Clock } from "../shared/host.js";

const TRAPS = 3;
const TRAP_WINDOW_NS = 60_000_000_000n;
/**
 * The pause before the next instance after a failure of the machine. It doubles each time until a transaction is
 * durable again.
 */
const FIRST_PAUSE_NS = 200_000_000n;
const LONGEST_PAUSE_NS = 5_000_000_000n;

export class Setbacks {
  readonly #clock: Clock;
  readonly #alarms: Alarms;
  readonly #traps: bigint[] = [];
  #pauseNs = FIRST_PAUSE_NS;
  #endPause: (() => void) | null = null;

  constructor(clock: Clock, alarms: Alarms) {
    this.#clock = clock;
    this.#alarms = alarms;
  }

  trapped(): void {
    this.#traps.push(this.#clock.now().monotonic);
  }

  /** Three traps within a minute: the core will not recover. */
  get tooManyTraps(): boolean {
    const since = this.#clock.now().monotonic - TRAP_WINDOW_NS;
    return this.#traps.filter((at) => at >= since).length >= TRAPS;
  }

  /** The machine can keep records again. */
  kept(): void {
    this.#pauseNs = FIRST_PAUSE_NS;
  }

  /** Resolves after the pause, or at `endPause`. */
  async pause(): Promise<void> {
    const until = this.#clock.now().monotonic + this.#pauseNs;
    this.#pauseNs = this.#pauseNs * 2n < LONGEST_PAUSE_NS ? this.#pauseNs * 2n : LONGEST_PAUSE_NS;
    await new Promise<void>((resolve) => {
      const callOff = this.#alarms.at(until, resolve);
      this.#endPause = () => {
        callOff();
        resolve();
      };
    });
    this.#endPause = null;
  }

  endPause(): void {
    this.#endPause?.();
  }
}
