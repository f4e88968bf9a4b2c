// The bytes of an open file, up to the size that it had at first.

import * as fs from "node:fs";

/** All of a small file, in a buffer of `length` bytes, padded with zeros. */
export function readSmall(file: number, size: number, length = size): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < size;) {
    const read = fs.readSync(file, bytes, done, size - done, done);
    if (read === 0) break;
    done += read;
  }
  return bytes;
}

/**
 * Reads the next piece while the current one is being sent. A piece is valid until the caller asks for the one after
 * the next. `from`: where to begin.
 */
export async function* bodyOf(file: number, size: number, from = 0): AsyncGenerator<Uint8Array> {
  const length = Math.min(PIECE, size - from);
  const buffers = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)];
  let next = readAt(file, buffers[0]!, from, length);
  try {
    for (let [at, turn] = [from, 0]; at < size; turn ^= 1) {
      const piece = await next;
      at += piece.length;
      const left = Math.min(PIECE, size - at);
      if (left > 0) next = readAt(file, buffers[turn ^ 1]!, at, left);
      yield piece;
    }
  } finally {
    await next.catch(() => {});
  }
}

/** Zeros if the file has become shorter. */
async function readAt(file: number, into: Buffer, at: number, length: number): Promise<Buffer> {
  for (let done = 0; done < length;) {
    const read = await new Promise<number>((resolve, reject) => {
      fs.read(file, into, done, length - done, at + done, (error, count) => (error ? reject(error) : resolve(count)));
    });
    if (read === 0) into.fill(0, done, length);
    done = read === 0 ? length : done + read;
  }
  return into.subarray(0, length);
}

/** A file of up to this size is read synchronously. */
export const SMALL = 64 << 10;
/** Bytes sent or read at a time. */
export const PIECE = 512 << 10;
