// Timers on a host's clock that can all be cancelled at once.

import type { Clock } from "../shared/index.js";

export class Alarms {
  readonly #clock: Clock;
  readonly #set = new Set<() => void>();
  #off = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `wake` at the monotonic time `at`. Returns a function that cancels it. */
  at(at: bigint, wake: () => void): () => void {
    if (this.#off) return () => {};
    const callOff = this.#clock.at(at, () => {
      this.#set.delete(end);
      wake();
    });
    const end = () => {
      this.#set.delete(end);
      callOff();
    };
    this.#set.add(end);
    return end;
  }

  /** Whether something ends within this many nanoseconds. Rejects if it does. */
  within(ns: bigint, ended: Promise<void>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = this.at(this.#clock.now().monotonic + ns, () => resolve(false));
      ended.then(() => resolve(true), reject).finally(late);
    });
  }

  /** Cancels all of them; no new ones can be set. */
  callOff(): void {
    this.#off = true;
    for (const end of [...this.#set]) end();
  }
}
