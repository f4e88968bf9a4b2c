// Gives back the pages of the core's memory that contain only zeros. A linear memory never shrinks.

import type { ProcessMemory } from "../ground.js";

const MEBIBYTE = 1 << 20;
/** How much of the core's memory is scanned at a time, in some ms. After each piece, waiting work comes first. */
const PIECE = 8 * MEBIBYTE;

/** An instance's memory after `Driver.collectAndWipe`. */
export type Memory = () => Uint8Array;

/** One piece at a time, each in its own turn of the event loop: the core may step in between. */
export async function handBackZeros(
  memory: Memory,
  system: Pick<ProcessMemory, "pageBytes" | "handBack">,
): Promise<void> {
  const page = new Uint8Array(system.pageBytes);
  for (let from = 0; from < memory().length; from += PIECE) {
    for (const pages of zeros(memory().subarray(from, from + PIECE), page)) system.handBack(pages);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Ranges of whole pages that contain only zeros. `page`: one of zeros. */
function* zeros(piece: Uint8Array, page: Uint8Array): Generator<Uint8Array> {
  let begin = 0;
  for (let at = 0; at <= piece.length; at += page.length) {
    const isZeros = at < piece.length && Buffer.compare(piece.subarray(at, at + page.length), page) === 0;
    if (isZeros) continue;
    if (at > begin) yield piece.subarray(begin, at);
    begin = at + page.length;
  }
}
