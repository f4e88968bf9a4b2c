// An exec's output, as the pipes or the terminal give it.

import type { Readable } from "node:stream";
import type { OutputPiece } from "../../hosts/shared/host.js";
import { HeldOutput } from "../../hosts/streams/held-output.js";

/** Who still holds the output of an exec that has ended is waited for that long, as with Docker. */
const DRAIN_MS = 2000;
/** What an ended process has left in its pipes is taken in, however slowly it is read. */
const HELD_AFTER_END = 4 * 2 ** 20;

export class ExecOutput extends HeldOutput {
  readonly #sources = new Set<Readable>();
  /** What came before it was known whether it is the process's, or the runtime's own words; null from then on. */
  #early: OutputPiece[] | null = [];
  #onWritten: () => void = () => {};

  /**
   * Its end, or its failure, is one of the ends that `drained` waits for. To be called at once: what nobody listens to
   * when its process ends is lost.
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
    source.on("error", over); // a terminal's end is EIO
  }

  /** The process runs: what came is its own. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const { stream, bytes } of early) this.put(stream, bytes);
  }

  /** The process has ended: resolves when its output is all here, or nobody is waited for any more. */
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

  /** Nothing is read any more. */
  close(): void {
    for (const source of [...this.#sources]) source.destroy();
    this.end();
  }

  /** As much of it as fits into pipes comes early at most: it takes a few milliseconds. */
  #take(piece: OutputPiece): void {
    if (this.#early === null) this.put(piece.stream, piece.bytes);
    else this.#early.push(piece);
  }
}
