// Decompression by Node where Node supports it, and by scripts where it does not.

import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, pipeline, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { HostFailure, damaged, failureOf } from "../../../hosts/shared/index.js";
import { bunzip2, recognized, unxz } from "../../../hosts/streams/compression/index.js";
import { zstdInScript } from "./zstd.js";

/** Undoes gzip, zstd, bzip2 or xz; other bytes pass through. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const { compression, bytes } = await recognized(source);
  switch (compression) {
    case "gzip":
      return yield* through(bytes, zlib.createGunzip({ chunkSize: CHUNK }));
    case "zstd":
      return yield* zstd(bytes);
    case "bzip2":
      return yield* asBuffers(bunzip2(bytes));
    case "xz":
      return yield* asBuffers(unxz(spooled(bytes)));
    case "none":
      yield* asBuffers(bytes);
  }
}

async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  // The transform passes on an error of the source.
  pipeline(Readable.from(source), transform, () => {});
  try {
    for await (const chunk of transform) yield chunk as Buffer;
  } catch (error) {
    throw asCorrupt(error);
  }
}

function zstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  // Node has this since 22.15; our type definitions are older.
  const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: { chunkSize: number }) => Transform };
  return createZstdDecompress ? through(source, createZstdDecompress({ chunkSize: CHUNK })) : scripted(source);
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
