// Lines waiting to be written, as bytes: the garbage collector would copy waiting strings again and again.

import { SUM_BYTES, leavePlace } from "../../trace/index.js";

const PIECE = 64 * 1024;

/** Bytes of a line with its LF and its checksum, or room for that. */
export function roomFor(line: Uint8Array): number {
  return line.length + SUM_BYTES + 1;
}

export class LineBuffer {
  readonly #full: Buffer[] = [];
  #piece = Buffer.alloc(0);
  /** In the piece: bytes that were taken, and bytes that are filled. */
  #taken = 0;
  #filled = 0;
  /** Bytes waiting. */
  length = 0;

  /** Leaves room for the line's checksum, which is known when the line is written. */
  append(line: Uint8Array): void {
    const room = roomFor(line);
    if (room > this.#piece.length - this.#filled) this.#begin(Math.max(PIECE, room));
    this.#filled = leavePlace(line, this.#piece, this.#filled);
    this.length += room;
  }

  /** Takes everything that waits. */
  take(): Buffer {
    const pieces = [...this.#full.splice(0), this.#rest()];
    this.#taken = this.#filled;
    this.length = 0;
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  #begin(size: number): void {
    if (this.#filled > this.#taken) this.#full.push(this.#rest());
    this.#piece = Buffer.allocUnsafeSlow(size);
    this.#taken = this.#filled = 0;
  }

  #rest(): Buffer {
    return this.#piece.subarray(this.#taken, this.#filled);
  }
}
