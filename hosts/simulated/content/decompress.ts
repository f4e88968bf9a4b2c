// Decompression in plain script and at once, told by the first bytes: a media type may be wrong, the bytes are not.

import { Gunzip } from "fflate";
import { Decompress } from "fzstd";
import { HostFailure } from "../../failure.js";
import { joined } from "../../streams/bytes.js";
import { bunzip2 } from "../../streams/bzip2.js";
import { unxz } from "../../streams/xz.js";

/** The bytes as they were before gzip, zstd, bzip2 or xz; others pass through. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { first, rest } = await begin(source[Symbol.asyncIterator]());
  if (startsWith(first, BZIP2)) yield* bunzip2(rest);
  else if (startsWith(first, XZ)) yield* unxz(spooled(rest));
  else yield* inScript(rest);
}

/** Enough bytes to tell, and all bytes, these included. */
async function begin(
  source: AsyncIterator<Uint8Array>,
): Promise<{ first: Uint8Array; rest: AsyncIterable<Uint8Array> }> {
  const head: Uint8Array[] = [];
  let size = 0;
  for (let next = await source.next(); !next.done; next = await source.next()) {
    head.push(next.value);
    size += next.value.length;
    if (size >= LONGEST_MAGIC) break;
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield* head;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return { first: joined(head), rest: rest() };
}

/** All of the source first, so that a client that stops sending holds nobody else up. */
async function* spooled(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(new Uint8Array(piece));
  yield* pieces;
}

async function* inScript(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const decoder = new Decoder((bytes) => ready.push(bytes));
  for await (const chunk of source) {
    decoder.push(chunk);
    yield* ready.splice(0);
  }
  decoder.end();
  yield* ready.splice(0);
}

class Decoder {
  readonly #out: (bytes: Uint8Array) => void;
  #head: Uint8Array = new Uint8Array(0);
  /** Null until enough bytes are there to tell. */
  #push: ((bytes: Uint8Array, final: boolean) => void) | null = null;

  constructor(out: (bytes: Uint8Array) => void) {
    this.#out = out;
  }

  push(bytes: Uint8Array): void {
    if (this.#push) return this.#feed(bytes, false);
    this.#head = joined([this.#head, bytes]);
    if (this.#head.length >= LONGEST_MAGIC) this.#begin(false);
  }

  end(): void {
    if (this.#push) this.#feed(new Uint8Array(0), true);
    else if (this.#head.length > 0) this.#begin(true);
  }

  #begin(final: boolean): void {
    this.#push = decoderFor(this.#head, this.#out);
    this.#feed(this.#head, final);
  }

  #feed(bytes: Uint8Array, final: boolean): void {
    try {
      this.#push?.(bytes, final);
    } catch (error) {
      throw corrupt(error);
    }
  }
}

function decoderFor(head: Uint8Array, out: (bytes: Uint8Array) => void): (bytes: Uint8Array, final: boolean) => void {
  const told = (bytes: Uint8Array): void => {
    if (bytes.length > 0) out(bytes);
  };
  if (startsWith(head, GZIP)) {
    const gunzip = new Gunzip(told);
    return (bytes, final) => gunzip.push(bytes, final);
  }
  if (startsWith(head, ZSTD)) {
    const zstd = new Decompress(told);
    return (bytes, final) => zstd.push(bytes, final);
  }
  return told;
}

function corrupt(error: unknown): HostFailure {
  if (error instanceof HostFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isCut = /unexpected (EOF|end)/i.test(message);
  return new HostFailure("corrupt", isCut ? "unexpected EOF" : `decompression failed: ${message}`);
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

const GZIP = [0x1f, 0x8b];
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const BZIP2 = [0x42, 0x5a, 0x68];
const XZ = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];
const LONGEST_MAGIC = 6;
