// Bytes to an exec's stdin. What arrives before its start is kept until then.

import { PassThrough, type Writable } from "node:stream";
import type { Stdin } from "../../hosts/shared/index.js";

export class ExecStdin implements Stdin {
  readonly #bytes = new PassThrough();
  #isOver = false;
  /** A pipe whose end on our side nobody else closes. Only a write shows that its reader is gone. */
  #pipe: Writable | undefined;

  /** The client's half-close ends the pipe. `close` closes it too. */
  connectPipe(pipe: Writable): void {
    this.#pipe = pipe;
    this.#connect(pipe, true);
  }

  /** A terminal has no end of input. */
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
    target.on("error", () => this.close()); // the process no longer reads
    target.once("close", () => this.close());
    this.#bytes.pipe(target, { end: endsIt });
  }
}
