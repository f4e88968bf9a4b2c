// Lines that wait to be written, as bytes from the start: texts that wait are copied about by whoever collects garbage.

const PIECE = 64 * 1024;
const LF = 0x0a;
/** Bytes of UTF-8 that a unit of UTF-16 takes at most. */
const WIDEST = 3;

export class LineBuffer {
  readonly #full: Buffer[] = [];
  #piece = Buffer.alloc(0);
  /** Of the piece: what was taken, and what is filled. */
  #taken = 0;
  #filled = 0;
  /** That wait. */
  length = 0;

  append(line: string): void {
    const most = (line.length > PIECE ? Buffer.byteLength(line) : line.length * WIDEST) + 1;
    if (most > this.#piece.length - this.#filled) this.#begin(Math.max(PIECE, most));
    const written = this.#piece.write(line, this.#filled);
    this.#filled += written;
    this.#piece[this.#filled++] = LF;
    this.length += written + 1;
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
