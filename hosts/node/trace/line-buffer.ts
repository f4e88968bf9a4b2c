// Lines that wait to be written, as bytes: texts that wait are copied about by whoever collects garbage.

const PIECE = 64 * 1024;
const LF = 0x0a;

export class LineBuffer {
  readonly #full: Buffer[] = [];
  #piece = Buffer.alloc(0);
  /** Of the piece: what was taken, and what is filled. */
  #taken = 0;
  #filled = 0;
  /** That wait. */
  length = 0;

  append(line: Uint8Array): void {
    const { length } = line;
    if (length + 1 > this.#piece.length - this.#filled) this.#begin(Math.max(PIECE, length + 1));
    this.#piece.set(line, this.#filled);
    this.#filled += length;
    this.#piece[this.#filled++] = LF;
    this.length += length + 1;
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
