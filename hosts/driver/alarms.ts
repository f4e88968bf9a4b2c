// Alarms on a host's clock that can all be called off at once.

import type { Clock } from "../shared/host.js";

export class Alarms {
  readonly #clock: Clock;
  readonly #set = new Set<() => void>();
  #off = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `wake` at the monotonic time `at`. Returns what calls it off. */
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

  /** Whether something ends in so many nanoseconds. Rejects if it does. */
  within(ns: bigint, ended: Promise<void>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const late = this.at(this.#clock.now().monotonic + ns, () => resolve(false));
      ended.then(() => resolve(true), reject).finally(late);
    });
  }

  /** Calls all off; none can be set any more. */
  callOff(): void {
    this.#off = true;
    for (const end of [...this.#set]) end();
  }
}
