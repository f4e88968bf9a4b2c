// Input to a terminal of ours. libuv writes to this side of a terminal with blocking calls (uv_tty_init), so the whole
// engine would wait until the process reads. This class writes by itself, as much at a time as the terminal takes.

import { writeSync } from "node:fs";
import { Writable, type Readable } from "node:stream";
import { noSuch } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";

/** Nothing reports that the process has read. So it tries again, with growing pauses. */
const RETRY_MS = { first: 2, most: 100 };

export class TerminalInput extends Writable {
  readonly #terminal: number;
  readonly #owner: Readable;
  #timer: NodeJS.Timeout | undefined;

  /** `owner` closes the descriptor, and does not wait for writers. */
  constructor(kernel: Kernel, terminal: number, owner: Readable) {
    super({ decodeStrings: true });
    kernel.setNonBlocking(terminal);
    this.#terminal = terminal;
    this.#owner = owner;
    owner.once("close", () => this.destroy());
  }

  override _write(bytes: Buffer, _: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#put(bytes, RETRY_MS.first, written);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }

  #put(bytes: Buffer, retryMs: number, written: (error?: Error | null) => void): void {
    // The number may belong to another file by now.
    if (this.#owner.destroyed) return written(noSuch("process"));
    let taken = 0;
    try {
      while (taken < bytes.length) taken += writeSync(this.#terminal, bytes, taken);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return written(error as Error);
    }
    if (taken === bytes.length) return written();
    const nextMs = taken > 0 ? RETRY_MS.first : Math.min(2 * retryMs, RETRY_MS.most);
    this.#timer = setTimeout(() => this.#put(bytes.subarray(taken), nextMs, written), retryMs).unref();
  }
}
