// Takes the lines of a trace's text one after the other, with their numbers, and holds each against its sum.

import { Chain } from "./chain.js";
import { Malformed, objectOf } from "./codec.js";

export class LineReader {
  readonly #lines: Iterator<string>;
  #next: IteratorResult<string, unknown>;
  #at = 0;
  #taken = "";
  /** Null before a header has begun it. */
  #chain: Chain | null = null;

  constructor(lines: Iterable<string>) {
    this.#lines = lines[Symbol.iterator]();
    this.#next = this.#lines.next();
  }

  /** Number of the line taken last, from 1. */
  get line(): number {
    return Math.max(1, this.#at);
  }

  get hasNext(): boolean {
    return this.#next.done !== true;
  }

  /** The next line as what it says, be it a header or not: `begin` looks at its sum. */
  header(): Record<string, unknown> {
    this.#chain = null;
    return this.take();
  }

  /** Looks at the sum of the header taken last, the first of the lines that it begins. Gives what else it says. */
  begin(): Record<string, unknown> {
    this.#chain = new Chain();
    return objectOf(parsed(this.#chain.unsealed(this.#taken)), "the line");
  }

  /** The next line as what it says; there must be one. Throws `Malformed` where it is not the one that was written. */
  take(): Record<string, unknown> {
    this.#taken = this.#next.value as string;
    this.#at++;
    this.#next = this.#lines.next();
    const text = this.#chain === null ? this.#taken : this.#chain.unsealed(this.#taken);
    return objectOf(parsed(text), "the line");
  }

  /** Lets go of what the lines come from: an open file, say. */
  close(): void {
    this.#lines.return?.();
  }
}

/** Throws `Malformed`. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed("no JSON; the trace is damaged or cut short");
  }
}
