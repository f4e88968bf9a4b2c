// The timers that an instance of the core has set.

import type { Clock, Operation } from "../shared/host.js";
import type { Effect } from "../shared/outputs.js";

interface Timer {
  at: bigint;
  /** It has come, or was called off. */
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

  /** In place of one that has been set. */
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

  /** Those that have not come, as what asks for them. */
  get pending(): Effect[] {
    return [...this.#set].map(([op, { at }]) => ({ to: "timers", op, command: { tag: "set", val: at } }));
  }

  /** Those that come next: with what takes long an instance goes on in another step, for which it sets one that is due. */
  get due(): Timer[] {
    const { monotonic } = this.#clock.now();
    return [...this.#set.values()].filter(({ at }) => at <= monotonic);
  }
}
