// How many dry runs of single requests there are at a time: each has the memory of an instance. Others wait their turn.

const MOST = 4;
const MOST_WAITING = 64;

export class Slots {
  #free = MOST;
  readonly #waiting: (() => void)[] = [];

  /** Rejects when too many wait. */
  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) throw new Error(`${MOST_WAITING} dry runs wait their turn`);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
