// The buffer between two commands of a pipe, filled and read piece by piece. It holds as much as a Linux pipe; a writer
// waits while it is full.

import { Wrong } from "../docker/wrong.js";
import { Pipe } from "../../../simulated/index.js";
import type { Sink, Source } from "../../../simulated/index.js";

const MOST_KEPT = 2 ** 24;

const encoder = new TextEncoder();

export class Feed {
  readonly #pipe = new Pipe();
  readonly #closed = new AbortController();
  /** For a program that reads. */
  readonly source: Source = { ...this.#pipe.source, ...HELD_BY_THE_SHELL };
  /** For a program that writes: each line arrives at once, as on a terminal. */
  readonly sink: Sink = { ...this.#pipe.sink, ...HELD_BY_THE_SHELL, tty: true };

  /** Aborted when nobody reads any more. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Resolves when all of it is in the buffer, or when nobody reads any more. */
  async write(text: string): Promise<void> {
    let left = encoder.encode(text);
    while (left.length > 0) {
      const taken = this.sink.put(left);
      if (taken === null) return;
      left = left.subarray(taken);
      if (left.length > 0) await new Promise<void>((resolve) => void this.sink.wake(resolve));
    }
  }

  /** No more is written. */
  end(): void {
    this.#pipe.sink.release();
  }

  /** Nobody reads any more. */
  close(): void {
    this.#pipe.source.release();
    this.#closed.abort();
  }

  /**
   * The whole text, once the writer has ended or `stopped` is aborted. Throws if it is more than the page should hold.
   */
  async whole(stopped: AbortSignal): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for (let piece = this.source.take(); piece !== null && !stopped.aborted; piece = this.source.take()) {
      if (piece !== undefined) text += decoder.decode(piece, { stream: true });
      else await this.#more(stopped);
      if (text.length > MOST_KEPT)
        throw new Wrong("the input is larger than 16 MiB, which is too much for this page", null);
    }
    return text;
  }

  #more(stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        callOff();
        stopped.removeEventListener("abort", go);
        resolve();
      };
      const callOff = this.source.wake(go);
      stopped.addEventListener("abort", go);
    });
  }
}

/** The shell decides when the pipe ends, not the programs at its ends. */
const HELD_BY_THE_SHELL = { retain: (): void => {}, release: (): void => {} };
