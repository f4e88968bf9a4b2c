// The timers that an instance of the core has set.

import type { Clock, Operation } from "./host.js";
import type { Effect } from "./outbox.js";

interface Timer {
  at: bigint;
  /** It was due as it was set: the instance goes on in another step with what takes long. */
  isTurn: boolean;
  /** It has come, or was called off. */
  ended: Promise<void>;
  callOff: () => void;
}

export class Timers {
  readonly #clock: Clock;
  readonly #elapsed: (op: Operation) => void;
  readonly #set = new Map<Operation, Timer>();
  #turns = 0;

  constructor(clock: Clock, elapsed: (op: Operation) => void) {
    this.#clock = clock;
    this.#elapsed = elapsed;
  }

  /** In place of one that has been set. */
  set(op: Operation, at: bigint): void {
    this.cancel(op);
    const isTurn = at <= this.#clock.now().monotonic;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const clear = this.#clock.at(at, () => {
      this.#set.delete(op);
      this.#count(isTurn);
      this.#elapsed(op);
      end();
    });
    const callOff = (): void => {
      clear();
      end();
    };
    this.#set.set(op, { at, isTurn, ended, callOff });
    this.#count(isTurn);
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

  /** Turns that the instance wants and has not had. */
  get wanted(): Timer[] {
    return [...this.#set.values()].filter(({ isTurn }) => isTurn);
  }

  /** Grows with each turn that the instance wants, and with each that it gets. */
  get turns(): number {
    return this.#turns;
  }

  #count(isTurn: boolean): void {
    if (isTurn) this.#turns += 1;
  }
}
