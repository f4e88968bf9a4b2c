// Decoders that few streams need: each is loaded for the first of them, so that a page can start without it.

/** The bytes of a bzip2 stream, decompressed. */
export async function* bunzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* (await import("./bzip2.js")).bunzip2(source);
}

/** The bytes of an xz stream, decompressed. The source must not wait for a client (see `xz.ts`). */
export async function* unxz(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* (await import("./xz.js")).unxz(source);
}
