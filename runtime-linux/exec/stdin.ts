// Bytes to an exec's stdin. What comes before its start waits for it.

import { PassThrough, type Writable } from "node:stream";
import type { Stdin } from "../../hosts/host.js";

export class ExecStdin implements Stdin {
  readonly #bytes = new PassThrough();
  #isOver = false;

  /** `endsIt`: the client's half-close is its end; a terminal has none. */
  connect(target: Writable, endsIt: boolean): void {
    if (this.#isOver) return void target.end();
    target.on("error", () => this.close()); // it reads no more
    target.once("close", () => this.close());
    this.#bytes.pipe(target, { end: endsIt });
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
  }
}
