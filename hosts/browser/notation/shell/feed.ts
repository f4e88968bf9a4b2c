// What one command of a pipe writes and the next one reads, piece by piece.

import { Waiting, type Source } from "../../../simulated/processes/streams.js";

const encoder = new TextEncoder();

export class Feed implements Source {
  readonly tty = false;
  readonly isPipe = true;
  readonly #pieces: Uint8Array[] = [];
  #isOver = false;
  readonly #waiting = new Waiting();
  readonly #closed = new AbortController();

  /** Aborted once nobody reads any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  write(text: string): void {
    if (text === "" || this.closed.aborted) return;
    this.#pieces.push(encoder.encode(text));
    this.#waiting.stir();
  }

  /** Nothing more is written. */
  end(): void {
    this.#isOver = true;
    this.#waiting.stir();
  }

  /** Nobody reads any more. */
  close(): void {
    this.#pieces.length = 0;
    this.#closed.abort();
  }

  take(): Uint8Array | null | undefined {
    return this.#pieces.shift() ?? (this.#isOver ? null : undefined);
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#pieces.unshift(bytes);
  }

  wake(more: () => void): () => void {
    return this.#waiting.add(more);
  }

  /** All of it, once it is over or `stopped`. */
  async whole(stopped: AbortSignal): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for (let piece = this.take(); piece !== null && !stopped.aborted; piece = this.take()) {
      if (piece !== undefined) text += decoder.decode(piece, { stream: true });
      else await this.#more(stopped);
    }
    return text;
  }

  retain(): void {}
  release(): void {}

  #more(stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.wake(resolve);
      stopped.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
