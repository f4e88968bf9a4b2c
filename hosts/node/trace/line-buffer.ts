// Lines that wait to be written, as bytes: texts that wait are copied about by whoever collects garbage.

import { SUM_BYTES, leavePlace } from "../../trace/chain.js";

const PIECE = 64 * 1024;

/** Bytes that a line has with its LF and its sum, or a place for it. */
export function roomFor(line: Uint8Array): number {
  return line.length + SUM_BYTES + 1;
}

export class LineBuffer {
  readonly #full: Buffer[] = [];
  #piece = Buffer.alloc(0);
  /** Of the piece: what was taken, and what is filled. */
  #taken = 0;
  #filled = 0;
  /** That wait. */
  length = 0;

  /** With a place for its sum: which one that is will be known when it is written. */
  append(line: Uint8Array): void {
    const room = roomFor(line);
    if (room > this.#piece.length - this.#filled) this.#begin(Math.max(PIECE, room));
    this.#filled = leavePlace(line, this.#piece, this.#filled);
    this.length += room;
  }

  /** All that wait. */
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
