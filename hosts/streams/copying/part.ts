// A part of a file's bytes.

import type { content } from "../../shared/index.js";

/** Where it begins and ends in a file; all of it if no part is given. */
export function endsOf(part: content.FilePart | undefined): [from: number, to: number] {
  if (part === undefined) return [0, Infinity];
  return [Number(part.offset), Number(part.offset + part.length)];
}

/** As many of the first bytes. It is not read further than that. Even for none it is read: there may be no such file. */
export async function* upTo(length: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const piece of pieces) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}
