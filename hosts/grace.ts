// How long those who wait for answers are let wait when the engine is told to end.

/** However long the core goes on. */
const LONGEST_MS = 10_000;

export class Grace {
  readonly #ms: number;
  readonly #turns: () => number;
  readonly #last = performance.now() + LONGEST_MS;
  #seen: number;
  #until: number;

  /**
   * `ms`: how long answers may take that the world has to be asked for. `turns`: see `Timers.turns`. A large request
   * that the core reads in several steps has its time for the rest only once it was read.
   */
  constructor(ms: number, turns: () => number) {
    this.#ms = ms;
    this.#turns = turns;
    this.#seen = turns();
    this.#until = performance.now() + ms;
  }

  /** It begins anew if the core has gone on by itself since it began. */
  get isOver(): boolean {
    const now = performance.now();
    if (now < this.#until) return false;
    const turns = this.#turns();
    if (turns === this.#seen || now >= this.#last) return true;
    this.#seen = turns;
    this.#until = now + this.#ms;
    return false;
  }

  /** Milliseconds until it may be over. */
  get left(): number {
    return Math.max(0, this.#until - performance.now());
  }
}
