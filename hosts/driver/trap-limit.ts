// How many traps of the core end the process: three within a minute, since the core will not recover then.

import type { Clock } from "../shared/index.js";

const TRAPS = 3;
const TRAP_WINDOW_NS = 60_000_000_000n;

export class TrapLimit {
  readonly #clock: Clock;
  readonly #traps: bigint[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  trapped(): void {
    this.#traps.push(this.#clock.now().monotonic);
  }

  get isReached(): boolean {
    const since = this.#clock.now().monotonic - TRAP_WINDOW_NS;
    return this.#traps.filter((at) => at >= since).length >= TRAPS;
  }
}
