// The stdout and stderr of a simulated exec.

import type { OutputPiece } from "../../shared/index.js";
import { HeldOutput } from "../../streams/index.js";
import type { Sink } from "./streams.js";

export class ExecOutput extends HeldOutput {
  /** Number of open descriptors that lead here. */
  #writers = 0;
  #resolveWritten: () => void = () => {};
  /** Resolves when nobody can write any more. */
  readonly written = new Promise<void>((resolve) => (this.#resolveWritten = resolve));

  sink(stream: OutputPiece["stream"]): Sink {
    this.#writers++;
    return {
      tty: false,
      put: (bytes) => {
        const taken = bytes.slice(0, this.room);
        this.put(stream, taken);
        return taken.length;
      },
      wake: (room) => this.whenRoom(room),
      isFull: () => this.room === 0,
      retain: () => void this.#writers++,
      release: () => {
        if (--this.#writers === 0) this.end();
      },
    };
  }

  override end(): void {
    super.end();
    this.#resolveWritten();
  }
}
