// Output put together from many small pieces.

/** Bytes that grow at their end. Kept and reused: what `taken` gave is overwritten by what is added later. */
export class ByteBuilder {
  bytes: Uint8Array = new Uint8Array(0);
  length = 0;

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2, 1024));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  /** Adds bytes for which there is room. */
  add(from: Uint8Array, start: number, end: number): void {
    const into = this.bytes;
    let at = this.length;
    // For a log line a loop beats the allocation of a view.
    if (end - start < 256) for (let index = start; index < end; index++) into[at++] = from[index]!;
    else into.set(from.subarray(start, end), at);
    this.length += end - start;
  }

  /** What has been put together; the next bytes start afresh. */
  taken(): Uint8Array {
    const bytes = this.bytes.subarray(0, this.length);
    this.length = 0;
    return bytes;
  }
}

/** One after the other, in new memory. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
