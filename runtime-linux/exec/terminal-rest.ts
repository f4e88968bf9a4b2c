// Reads what an ended process left in its terminal. After a hang-up libuv takes any read that did not fill its buffer
// for the end. But a terminal gives four KiB at a time, even if more is on its way. So after the hang-up this class
// reads instead.

import { closeSync, readSync } from "node:fs";
import { Readable } from "node:stream";

/** More than the kernel gives at once. */
const READ_BYTES = 8192;
/**
 * While other processes still hold the terminal, nothing reports what they write. So it looks again, with growing
 * pauses.
 */
const LOOK_MS = { first: 2, most: 20 };

export class TerminalRest extends Readable {
  readonly #terminal: number;
  #timer: NodeJS.Timeout | undefined;

  /** `terminal` is non-blocking, and is closed with this. */
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

  /**
   * Null at the end; undefined if there is nothing now. Before the kernel says either, it has delivered all that was
   * written.
   */
  #read(): Buffer | null | undefined {
    const bytes = Buffer.allocUnsafe(READ_BYTES);
    try {
      return bytes.subarray(0, readSync(this.#terminal, bytes));
    } catch (error) {
      // EIO: nobody has it open any more.
      return (error as NodeJS.ErrnoException).code === "EAGAIN" ? undefined : null;
    }
  }
}
