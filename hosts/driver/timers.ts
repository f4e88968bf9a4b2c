// The timers that an instance of the core has set.

import type { Clock, Effect, Operation } from "../shared/index.js";

interface Timer {
  at: bigint;
  /** Resolves when the timer has fired or was cancelled. */
  ended: Promise<void>;
  callOff: () => void;
}

export class Timers {
  readonly #clock: Clock;
  readonly #elapsed: (op: Operation) => void;
  readonly #set = new Map<Operation, Timer>();

  constructor(clock: Clock, elapsed: (op: Operation) => void) {
    this.#clock = clock;
    this.#elapsed = elapsed;
  }

  /** Replaces a timer that has been set already. */
  set(op: Operation, at: bigint): void {
    this.cancel(op);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const clear = this.#clock.at(at, () => {
      this.#set.delete(op);
      this.#elapsed(op);
      end();
    });
    const callOff = (): void => {
      clear();
      end();
    };
    this.#set.set(op, { at, ended, callOff });
  }

  cancel(op: Operation): void {
    this.#set.get(op)?.callOff();
    this.#set.delete(op);
  }

  callAllOff(): void {
    for (const { callOff } of this.#set.values()) callOff();
    this.#set.clear();
  }

  /** Timers that have not fired, as the effects that set them. */
  get pending(): Effect[] {
    return [...this.#set].map(([op, { at }]) => ({ to: "timers", op, command: { tag: "set", val: at } }));
  }

  /** The timers that fire next. An instance splits long work into steps by setting a timer that is due at once. */
  get due(): Timer[] {
    const { monotonic } = this.#clock.now();
    return [...this.#set.values()].filter(({ at }) => at <= monotonic);
  }
}
