// How states were reached, and which states lead to which by the host's work alone.

export class Paths {
  readonly #from: (number | null)[] = [];
  readonly #lines: string[] = [];
  /** For each state, the states that lead to it. */
  readonly #before: number[][] = [];
  readonly #rests: number[] = [];

  /** Returns the number of a new state. */
  add(from: number | null, line: string): number {
    this.#from.push(from);
    this.#lines.push(line);
    this.#before.push([]);
    return this.#from.length - 1;
  }

  /** By work, not by clients, crashes, or the end of a process that need not end. */
  leads(from: number, to: number): void {
    this.#before[to]?.push(from);
  }

  rests(number: number): void {
    this.#rests.push(number);
  }

  /** Calls `fail` for the first state from which no work leads to rest. */
  checkRests(fail: (number: number) => void): void {
    const reached = new Set(this.#rests);
    for (const number of reached) for (const before of this.#before[number] ?? []) reached.add(before);
    const stuck = this.#from.findIndex((_, number) => !reached.has(number));
    if (stuck >= 0) fail(stuck);
  }

  /** The story, from the first start on. */
  to(number: number | null): string[] {
    const lines: string[] = [];
    for (let at = number; at !== null; at = this.#from[at] ?? null) lines.unshift(this.#lines[at] as string);
    return lines;
  }
}
