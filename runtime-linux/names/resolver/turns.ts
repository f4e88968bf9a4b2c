// Lets containers take turns. Long answers take milliseconds each. So only one of these is made in each round of the event
// loop, and between two of them all that has come meanwhile is answered.

export class Turns {
  /** By holder: whoever had its turn goes to the end. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Acts when it is the holder's turn, never at once. */
  take(holder: string, act: () => void): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#next());
    const own = this.#waiting.get(holder);
    if (own === undefined) this.#waiting.set(holder, [act]);
    else own.push(act);
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [holder, own] = first;
    const act = own.shift();
    this.#waiting.delete(holder);
    if (own.length > 0) this.#waiting.set(holder, own);
    if (this.#waiting.size > 0) setImmediate(() => this.#next());
    act?.();
  }
}
