// The time that an orderly end may take: one deadline for all of it, counted from when it was asked for.

import type { Clock } from "../shared/host.js";
import { LONGEST_CLOSE_NS } from "../driver/index.js";
import { within } from "./within.js";

/** How long answers under way may take before the driver is closed. */
export const GRACE_MS = 500;
const LONGEST_MS = Number(LONGEST_CLOSE_NS / 1_000_000n);

export class End {
  readonly #clock: Clock;
  readonly #asked: bigint;
  readonly #began = performance.now();

  /** To be made when the end is asked for. `clock`: the host's, which may stand still, be slower, or leap. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#asked = clock.now().monotonic;
  }

  /** When it was asked for, by the host's clock. If that leaps, only the time that has really passed counts. */
  since(): bigint {
    const passed = BigInt(Math.round(this.#passed * 1e6));
    const really = this.#clock.now().monotonic - passed;
    return really > this.#asked ? really : this.#asked;
  }

  /** Whether something ends before it is too late. */
  comesAfter(pending: Promise<void>): Promise<boolean> {
    return within(LONGEST_MS - this.#passed, pending);
  }

  get #passed(): number {
    return performance.now() - this.#began;
  }
}
