// Bytes to an exec's stdin. What comes before its start waits for it.

import { PassThrough, type Writable } from "node:stream";
import type { Stdin } from "../../hosts/shared/host.js";

export class ExecStdin implements Stdin {
  readonly #bytes = new PassThrough();
  #isOver = false;
  /** A pipe, of which nobody else closes our end: its reader's going is noticed by writing only. */
  #pipe: Writable | undefined;

  /** The client's half-close is the pipe's end. It is closed with this. */
  connectPipe(pipe: Writable): void {
    this.#pipe = pipe;
    this.#connect(pipe, true);
  }

  /** A terminal has no end. */
  connectTerminal(terminal: Writable): void {
    this.#connect(terminal, false);
  }

  write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver || this.#bytes.writableEnded) return Promise.resolve();
    return new Promise((taken) => this.#bytes.write(bytes, () => taken()));
  }

  end(): void {
    this.#bytes.end();
  }

  release(): void {}

  /** Nobody reads any more. */
  close(): void {
    this.#isOver = true;
    this.#bytes.unpipe();
    this.#bytes.resume();
    this.#pipe?.destroy();
  }

  #connect(target: Writable, endsIt: boolean): void {
    if (this.#isOver) return this.close();
    target.on("error", () => this.close()); // it reads no more
    target.once("close", () => this.close());
    this.#bytes.pipe(target, { end: endsIt });
  }
}
