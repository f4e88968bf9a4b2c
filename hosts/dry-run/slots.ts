// Limits how many dry runs of single requests there are at a time, since each needs the memory of an instance. The
// others queue.

const MOST = 4;
const MOST_WAITING = 64;

export class Slots {
  #free = MOST;
  readonly #waiting: (() => void)[] = [];

  /** Rejects if the queue is full. */
  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) throw new Error(`${MOST_WAITING} dry runs are already waiting`);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
