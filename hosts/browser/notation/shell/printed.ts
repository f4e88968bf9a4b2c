// Program output as text: shown line by line, or collected until the end.

import { never } from "../../../simulated/index.js";
import type { Sink } from "../../../simulated/index.js";

/** Like a terminal, it delivers each line as soon as it is written. */
export class Printed implements Sink {
  readonly tty = true;
  readonly wake = never;
  readonly #decoder = new TextDecoder();
  readonly #show: ((lines: string) => void) | null;
  #text = "";

  /** `show` takes whole lines, without the last newline. Null collects everything. */
  constructor(show: ((lines: string) => void) | null) {
    this.#show = show;
  }

  put(bytes: Uint8Array): number {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    const end = this.#show === null ? -1 : this.#text.lastIndexOf("\n");
    if (end >= 0) {
      this.#show?.(this.#text.slice(0, end));
      this.#text = this.#text.slice(end + 1);
    }
    return bytes.length;
  }

  /** The text that has not been shown. */
  rest(): string {
    return this.#text;
  }

  retain(): void {}
  release(): void {}
}
