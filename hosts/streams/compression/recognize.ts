// Recognizes a stream's compression by its first bytes, since a media type may be wrong.

import { joined } from "../../shared/index.js";

/** `none`: the bytes pass through unchanged. */
export type Compression = "gzip" | "zstd" | "bzip2" | "xz" | "none";

/** How each kind of stream begins: RFC 1952 §2.3.1, RFC 8878 §3.1.1, and the format descriptions of bzip2 and xz. */
const MAGIC: readonly (readonly [Compression, readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
];
const LONGEST_MAGIC = 6;

/**
 * The compression of a source, and all its bytes including the first. Ending `bytes` early ends the source. A piece of
 * the source need not be valid after the next one is asked for.
 */
export async function recognized(
  source: AsyncIterable<Uint8Array>,
): Promise<{ compression: Compression; bytes: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    first.push(next.value.length < LONGEST_MAGIC ? new Uint8Array(next.value) : next.value);
    size += next.value.length;
    if (size >= LONGEST_MAGIC) break;
  }
  return { compression: compressionOf(joined(first)), bytes: all(first, iterator) };
}

async function* all(first: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** By the first six bytes, or all if there are fewer. */
export function compressionOf(head: Uint8Array): Compression {
  const found = MAGIC.find(([, magic]) => magic.every((byte, index) => head[index] === byte));
  return found?.[0] ?? "none";
}
