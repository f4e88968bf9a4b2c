// Builds output from many small pieces.

/** A growing buffer. It is reused: the result of `taken` is overwritten by later additions. */
export class ByteBuilder {
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2, 1024));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Adds bytes; there must be room for them. */
  add(from: Uint8Array, start: number, end: number): void {
    const into = this.bytes;
    let at = this.length;
    // For a log line, a loop is faster than allocating a view.
    if (end - start < 256) for (let index = start; index < end; index++) into[at++] = from[index]!;
    else into.set(from.subarray(start, end), at);
    this.length += end - start;
  }

  /** Returns the collected bytes; the next ones start at the beginning. */
  taken(): Uint8Array {
    const bytes = this.bytes.subarray(0, this.length);
    this.length = 0;
    return bytes;
  }
}

/** Joins the pieces in new memory. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
