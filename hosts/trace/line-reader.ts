// Reads the lines of a trace one after the other, counts them, and verifies the checksum of each.

import { Chain } from "./chain.js";
import { Malformed, objectOf } from "./codec.js";

export class LineReader {
  readonly #lines: Iterator<string>;
  #next: IteratorResult<string, unknown>;
  #at = 0;
  #taken = "";
  /** Null until a header starts the chain. */
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

  /** The content of the next line, which should be a header. `begin` verifies its checksum. */
  header(): Record<string, unknown> {
    this.#chain = null;
    return this.take();
  }

  /** Verifies the checksum of the header just taken, with which a chain begins. Returns the header without it. */
  begin(): Record<string, unknown> {
    this.#chain = new Chain();
    return objectOf(parsed(this.#chain.unsealed(this.#taken)), "the line");
  }

  /** The content of the next line, which must exist. Throws `Malformed` if its checksum is wrong. */
  take(): Record<string, unknown> {
    this.#taken = this.#next.value as string;
    this.#at++;
    this.#next = this.#lines.next();
    const text = this.#chain === null ? this.#taken : this.#chain.unsealed(this.#taken);
    return objectOf(parsed(text), "the line");
  }

  /** Closes the source of the lines, for example an open file. */
  close(): void {
    this.#lines.return?.();
  }
}

/** Throws `Malformed`. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Malformed("not JSON: the trace is damaged or cut short");
  }
}
