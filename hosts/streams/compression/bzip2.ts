// Decompression of bzip2, block by block, as the bytes arrive.
// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module cannot be imported
/// <reference path="./unbzip2-stream.d.ts" />

import bitReader, { type BitReader } from "unbzip2-stream/lib/bit_iterator.js";
import bzip2 from "unbzip2-stream/lib/bzip2.js";
import { ByteBuilder, damaged } from "../../shared/index.js";

/** The decompressed bytes. */
export async function* bunzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new Decoder();
  for await (const chunk of source) {
    decoder.push(chunk);
    while (decoder.hasBlock) yield* decoder.next();
  }
  decoder.ended = true;
  while (decoder.hasMore) yield* decoder.next();
  if (!decoder.isWhole) throw damaged("cut");
}

/** Size of a stream's header, and of the largest compressed block by the size in the header. */
const HEADER = 4;
const BLOCK = 100_000;
const BLOCK_MORE = 25_000;

class Decoder {
  ended = false;
  /** Between two streams. */
  isWhole = false;
  readonly #chunks: Uint8Array[] = [];
  #received = 0;
  #bits: BitReader | null = null;
  /** In units of 100,000 bytes; 0 before a stream's header. */
  #size = 0;
  #sum: number | null = 0;

  /** Keeps a copy: the chunk may be overwritten before its block is whole. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(new Uint8Array(chunk));
    this.#received += chunk.length;
    this.#bits ??= bitReader(() => this.#chunks.shift());
  }

  get hasBlock(): boolean {
    return this.#left >= (this.#size === 0 ? HEADER : BLOCK_MORE + BLOCK * this.#size);
  }

  get hasMore(): boolean {
    return this.#left > 0;
  }

  /** Reads a header or a block, and yields the block's data. */
  *next(): Generator<Uint8Array> {
    const bytes = this.#decoded(() => (this.#size === 0 ? this.#header() : this.#block()));
    if (bytes) yield bytes;
  }

  get #left(): number {
    return this.#received - (this.#bits?.bytesRead ?? 0);
  }

  #header(): null {
    this.#size = bzip2.header(this.#bits!);
    this.#sum = 0;
    this.isWhole = false;
    return null;
  }

  #block(): Uint8Array | null {
    const length = BLOCK * this.#size;
    const out = new ByteBuilder();
    out.reserve(length);
    const take = (byte: number): void => {
      if (out.length === out.bytes.length) out.reserve(1);
      out.bytes[out.length++] = byte;
    };
    this.#sum = bzip2.decompress(this.#bits!, take, new Int32Array(length), length, this.#sum);
    if (this.#sum !== null) return out.taken();
    this.#size = 0;
    this.isWhole = true;
    return null;
  }

  /** At the end of the bytes, the bit reader finds `undefined`. */
  #decoded<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (this.ended && error instanceof TypeError) throw damaged("cut");
      throw damaged("compression", (error as Error).message);
    }
  }
}
