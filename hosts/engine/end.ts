// The time limit for an orderly end: one deadline for all of it, counted from the request to end.

import type { Clock } from "../shared/index.js";
import { LONGEST_CLOSE_NS } from "../driver/index.js";
import { within } from "./within.js";

/** How long current answers may take before the driver is closed. */
export const GRACE_MS = 500;
const LONGEST_MS = Number(LONGEST_CLOSE_NS / 1_000_000n);

export class End {
  readonly #clock: Clock;
  readonly #asked: bigint;
  readonly #began = performance.now();

  /** Create it when the end is requested. `clock`: the host's, which may stand still, be slower, or leap. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#asked = clock.now().monotonic;
  }

  /**
   * When the end was requested, by the host's clock. If that clock leaps, only the time that has really passed counts.
   */
  since(): bigint {
    const passed = BigInt(Math.round(this.#passed * 1e6));
    const really = this.#clock.now().monotonic - passed;
    return really > this.#asked ? really : this.#asked;
  }

  /** Whether something ends before the deadline. */
  comesAfter(pending: Promise<void>): Promise<boolean> {
    return within(LONGEST_MS - this.#passed, pending);
  }

  get #passed(): number {
    return performance.now() - this.#began;
  }
}
