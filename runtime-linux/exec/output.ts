// An exec's output, read from its pipes or its terminal.

import type { Readable } from "node:stream";
import type { OutputPiece } from "../../hosts/shared/index.js";
import { HeldOutput } from "../../hosts/streams/index.js";

/** How long to wait for other processes that still hold the output after the exec has ended; the same as Docker. */
const DRAIN_MS = 2000;
/** What an ended process left in its pipes is buffered, up to this size, even if the client reads slowly. */
const HELD_AFTER_END = 4 * 2 ** 20;

export class ExecOutput extends HeldOutput {
  readonly #sources = new Set<Readable>();
  /** Output that arrived before we knew whether the process or the runtime wrote it; null from then on. */
  #early: OutputPiece[] | null = [];
  #onWritten: () => void = () => {};

  /**
   * `drained` waits for this stream to end or fail. Call it at once: output that nobody listens to when its process
   * ends is lost.
   */
  add(stream: OutputPiece["stream"], source: Readable): void {
    this.#sources.add(source);
    const over = () => {
      this.#sources.delete(source);
      if (this.#sources.size === 0) this.#onWritten();
    };
    source.on("data", (bytes: Uint8Array) => {
      this.#take({ stream, bytes });
      if (this.room > 0) return;
      source.pause();
      this.whenRoom(() => source.resume());
    });
    source.once("close", over);
    source.once("end", over);
    source.on("error", over); // a terminal ends with EIO
  }

  /** The process runs, so the output is its own. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const { stream, bytes } of early) this.put(stream, bytes);
  }

  /** The process has ended. Resolves when all its output is here, or when the wait for others is over. */
  async drained(): Promise<void> {
    this.limit = HELD_AFTER_END;
    for (const source of this.#sources) source.resume();
    if (this.#sources.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, DRAIN_MS).unref();
        this.#onWritten = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.close();
  }

  /** Stops reading. */
  close(): void {
    for (const source of [...this.#sources]) source.destroy();
    this.end();
  }

  /** Early output is at most what fits into the pipes: this phase takes a few milliseconds. */
  #take(piece: OutputPiece): void {
    if (this.#early === null) this.put(piece.stream, piece.bytes);
    else this.#early.push(piece);
  }
}
