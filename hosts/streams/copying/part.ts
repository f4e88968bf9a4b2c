// A part of a file's bytes.

import type { content } from "../../shared/index.js";

/** Where it begins and ends in a file; all of it if no part is given. */
export function endsOf(part: content.FilePart | undefined): [from: number, to: number] {
  if (part === undefined) return [0, Infinity];
  return [Number(part.offset), Number(part.offset + part.length)];
}

/** The bytes of a file between two places. It is not read further than that. */
export async function* between(
  pieces: AsyncIterable<Uint8Array>,
  [from, to]: readonly [number, number],
): AsyncGenerator<Uint8Array> {
  if (from >= to) return;
  let at = 0;
  for await (const piece of pieces) {
    const wanted = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (wanted.length > 0) yield wanted;
    at += piece.length;
    if (at >= to) return;
  }
}
