// Decompression by Node where Node supports it, by a library of the machine, and by scripts where there is neither.

import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, pipeline, type Transform } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import * as zlib from "node:zlib";
import { HostFailure, damaged, failureOf } from "../../../hosts/shared/index.js";
import { bunzip2, recognized, unxz } from "../../../hosts/streams/compression/index.js";
import type { Decoded, Decoder } from "../../kernel/decoders/decoder.js";
import { gzipDecoder } from "../../kernel/decoders/gzip.js";
import { zstdDecoder } from "../../kernel/decoders/zstd.js";
import { zstdInScript } from "./zstd.js";

/**
 * Undoes gzip, zstd, bzip2 or xz; other bytes pass through. `reuses`: a piece may change once the next one is asked for,
 * which leaves no garbage.
 */
export async function* decompressed(source: AsyncIterable<Uint8Array>, reuses = false): AsyncGenerator<Buffer> {
  const { compression, bytes } = await recognized(source);
  switch (compression) {
    case "gzip":
      return yield* gzip(bytes, reuses);
    case "zstd":
      return yield* zstd(bytes, reuses);
    case "bzip2":
      return yield* asBuffers(bunzip2(bytes));
    case "xz":
      return yield* asBuffers(unxz(spooled(bytes)));
    case "none":
      yield* asBuffers(bytes);
  }
}

async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  // The transform passes on an error of the source. Streams read ahead, so they get copies.
  pipeline(Readable.from(copiesOf(source)), transform, () => {});
  try {
    for await (const chunk of transform) yield chunk as Buffer;
  } catch (error) {
    throw asCorrupt(error);
  }
}

function gzip(source: AsyncIterable<Uint8Array>, reuses: boolean): AsyncGenerator<Buffer> {
  const decoder = gzipDecoder();
  if (decoder === null) return through(source, zlib.createGunzip({ chunkSize: CHUNK }));
  return byLibrary(source, decoder, reuses);
}

function zstd(source: AsyncIterable<Uint8Array>, reuses: boolean): AsyncGenerator<Buffer> {
  // Node's own takes a stream that breaks off for a whole one in some versions (nodejs/node#64592).
  const decoder = zstdDecoder();
  if (decoder !== null) return byLibrary(source, decoder, reuses);
  // Node has this since 22.15; our type definitions are older.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: { chunkSize: number }) => Transform };
  return createZstdDecompress ? through(source, createZstdDecompress({ chunkSize: CHUNK })) : scripted(source);
}

/** Unless memory is reused, each piece has its own: readers may keep it. A few bytes can become gigabytes, so it yields to other work. */
async function* byLibrary(
  source: AsyncIterable<Uint8Array>,
  decoder: Decoder,
  reuses: boolean,
): AsyncGenerator<Buffer> {
  let [isWhole, into, turned] = [true, Buffer.alloc(0), performance.now()];
  try {
    for await (const chunk of source) {
      for (let [at, isFull] = [0, false]; at < chunk.length || (isFull && !isWhole);) {
        if (into.length === 0) into = Buffer.allocUnsafeSlow(CHUNK);
        const { written, ...now } = decodedBy(decoder, chunk, at, into);
        [at, isWhole, isFull] = [now.read, now.isWhole, written === into.length];
        if (written === 0) continue;
        yield into.subarray(0, written);
        if (!reuses) into = into.subarray(written);
        if (performance.now() - turned < TURN_MS) continue;
        await turn();
        turned = performance.now();
      }
    }
    if (!isWhole) throw damaged("cut");
  } finally {
    decoder.close();
  }
}

function decodedBy(decoder: Decoder, ...how: Parameters<Decoder["decode"]>): Decoded {
  try {
    return decoder.decode(...how);
  } catch (error) {
    throw damaged("compression", (error as Error).message);
  }
}

async function* scripted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of zstdInScript(source)) yield asBuffer(chunk);
  } catch (error) {
    throw asCorrupt(error);
  }
}

/** Reads all of the source into an unnamed file first, so that a client that stops sending blocks nobody else. */
async function* spooled(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const path = join(tmpdir(), `coracle-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    for await (const chunk of source) await file.appendFile(chunk);
    for (let at = 0; ;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* copiesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of source) yield Buffer.from(chunk);
}

async function* asBuffers(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of source) yield asBuffer(chunk);
}

function asCorrupt(error: unknown): unknown {
  const { message = "" } = error as Error;
  const code = String((error as NodeJS.ErrnoException).code ?? "");
  if (error instanceof HostFailure || (failureOf(error).tag === "call" && !code.startsWith("Z_"))) return error;
  if (code === "Z_BUF_ERROR" || code === "ERR_STREAM_PREMATURE_CLOSE" || /unexpected (EOF|end)/i.test(message)) {
    return damaged("cut");
  }
  return damaged("compression", message);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Bytes of decompressed data at a time. A larger chunk needs fewer turns of the event loop. */
const CHUNK = 256 << 10;
const TURN_MS = 20;
