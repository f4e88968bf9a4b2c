// How the driver goes on after it has lost an instance of the core: how long it waits before it opens the next one, and
// how long requests wait for that.

import type { Alarms } from "./alarms.js";
import type { Clock } from "../shared/index.js";

/** If the next instance takes longer than this, requests are refused. */
export const SOON_NS = 1_000_000_000n;
/**
 * The pause before the next instance after a failure of the machine. It doubles each time until a transaction is
 * durable again.
 */
const FIRST_PAUSE_NS = 200_000_000n;
const LONGEST_PAUSE_NS = 5_000_000_000n;

export class Setbacks {
  readonly #clock: Clock;
  readonly #alarms: Alarms;
  #pauseNs = FIRST_PAUSE_NS;
  #endPause: (() => void) | null = null;

  constructor(clock: Clock, alarms: Alarms) {
    this.#clock = clock;
    this.#alarms = alarms;
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
