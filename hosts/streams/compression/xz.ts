// Decompression of xz in WebAssembly, as the bytes arrive.

import * as xz from "xz-decompress";
import { HostFailure, damaged } from "../../shared/index.js";

// A CommonJS module whose names Node does not detect: without a bundler, its exports are the default export.
const { XzReadableStream } = "default" in xz ? (xz.default as typeof xz) : xz;

/**
 * The decompressed bytes. The source must not wait for a client: the decoder has only one memory, so streams are
 * decoded one after the other.
 */
export async function* unxz(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new Input(source);
  const reader = new XzReadableStream(input.stream).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (error) {
    if (error instanceof HostFailure || input.failed) throw error;
    if (input.ended) throw damaged("cut");
    throw damaged("compression", (error as Error).message);
  } finally {
    await reader.cancel().catch(() => {});
    await input.close();
  }
}

/** A source as a stream without read-ahead. */
class Input {
  ended = false;
  failed = false;
  readonly stream: ReadableStream<Uint8Array>;
  readonly #source: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
    this.stream = new ReadableStream({ pull: (controller) => this.#pull(controller) }, { highWaterMark: 0 });
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const next = await this.#source.next();
      this.ended = next.done === true;
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
