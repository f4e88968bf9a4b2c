// Synchronous decompression in plain script.

import { Gunzip } from "fflate";
import { HostFailure, damaged } from "../../shared/index.js";
import { bunzip2, unxz } from "./rare.js";
import { recognized } from "./recognize.js";

/** Undoes gzip, zstd, bzip2 or xz; other bytes pass through. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { compression, bytes } = await recognized(source);
  switch (compression) {
    case "gzip":
      return yield* inScript(bytes, gunzip);
    case "zstd":
      return yield* inScript(bytes, (await import("./zstd.js")).unzstd);
    case "bzip2":
      return yield* bunzip2(bytes);
    case "xz":
      return yield* unxz(spooled(bytes));
    case "none":
      yield* bytes;
  }
}

/** Reads all of the source first, so that a client that stops sending blocks nobody else. */
async function* spooled(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(new Uint8Array(piece));
  yield* pieces;
}

/** Takes compressed bytes as they arrive. */
type Decoder = (bytes: Uint8Array, final: boolean) => void;

async function* inScript(
  source: AsyncIterable<Uint8Array>,
  decoderFor: (out: (bytes: Uint8Array) => void) => Decoder,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const decode = decoderFor((bytes) => {
    if (bytes.length > 0) ready.push(bytes);
  });
  for await (const chunk of source) {
    feed(decode, chunk, false);
    yield* ready.splice(0);
  }
  feed(decode, new Uint8Array(0), true);
  yield* ready.splice(0);
}

function feed(decode: Decoder, bytes: Uint8Array, final: boolean): void {
  try {
    decode(bytes, final);
  } catch (error) {
    throw corrupt(error);
  }
}

function gunzip(out: (bytes: Uint8Array) => void): Decoder {
  const decoder = new Gunzip(out);
  return (bytes, final) => decoder.push(bytes, final);
}

function corrupt(error: unknown): HostFailure {
  if (error instanceof HostFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isCut = /unexpected (EOF|end)/i.test(message);
  return isCut ? damaged("cut") : damaged("compression", message);
}
