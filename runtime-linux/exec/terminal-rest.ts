// What a process that has ended left in its terminal. libuv takes a hang-up for the end when its last read did not fill
// its buffer; a terminal gives four KiB at a time, whatever is still on its way. So from the hang-up on it is read here.

import { closeSync, readSync } from "node:fs";
import { Readable } from "node:stream";

/** More than the kernel gives at once. */
const READ_BYTES = 8192;
/** While others still hold the terminal, nothing tells of what they write: it is looked again, less and less often. */
const LOOK_MS = { first: 2, most: 20 };

export class TerminalRest extends Readable {
  readonly #terminal: number;
  #timer: NodeJS.Timeout | undefined;

  /** `terminal`: does not wait when it is read, and is closed with this. */
  constructor(terminal: number) {
    super();
    this.#terminal = terminal;
  }

  override _read(): void {
    this.#look(LOOK_MS.first);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    closeSync(this.#terminal);
    done(error);
  }

  #look(nextMs: number): void {
    const bytes = this.#read();
    if (bytes !== undefined) this.push(bytes);
    else this.#timer = setTimeout(() => this.#look(Math.min(2 * nextMs, LOOK_MS.most)), nextMs).unref();
  }

  /** Null at the end; undefined if there is nothing now. Before the kernel says either it moves all that is written. */
  #read(): Buffer | null | undefined {
    const bytes = Buffer.allocUnsafe(READ_BYTES);
    try {
      return bytes.subarray(0, readSync(this.#terminal, bytes));
    } catch (error) {
      // EIO: nobody is left who has it open.
      return (error as NodeJS.ErrnoException).code === "EAGAIN" ? undefined : null;
    }
  }
}
