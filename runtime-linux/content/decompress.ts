// Decompression, told by the first bytes: a media type may be wrong, the bytes are not.

import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, pipeline, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { failureOf, HostFailure } from "../../hosts/failure.js";
import { bunzip2 } from "../../hosts/streams/bzip2.js";
import { unxz } from "../../hosts/streams/xz.js";
import { zstdInScript } from "./zstd.js";

/** The bytes as they were before gzip, zstd, bzip2 or xz; others pass through. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const { first, rest } = await begin(iterator);
  if (startsWith(first, GZIP)) yield* through(rest, zlib.createGunzip({ chunkSize: CHUNK }));
  else if (startsWith(first, ZSTD)) yield* zstd(rest);
  else if (startsWith(first, BZIP2)) yield* asBuffers(bunzip2(rest));
  else if (startsWith(first, XZ)) yield* asBuffers(unxz(spooled(rest)));
  else for await (const chunk of rest) yield asBuffer(chunk);
}

/** Enough bytes to tell, and all bytes, these included. */
async function begin(source: AsyncIterator<Uint8Array>): Promise<{ first: Buffer; rest: AsyncGenerator<Uint8Array> }> {
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
  return { first: head.length === 1 ? asBuffer(head[0]!) : Buffer.concat(head), rest: rest() };
}

async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  // An error of the source comes out of the transform.
  pipeline(Readable.from(source), transform, () => {});
  try {
    for await (const chunk of transform) yield chunk as Buffer;
  } catch (error) {
    throw asCorrupt(error);
  }
}

function zstd(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  // Since Node 22.15; its types are younger than ours.
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

/** All of the source first, so that a client that stops sending holds nobody else up; in a file without a name. */
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
  if (error instanceof HostFailure || (failureOf(error).kind !== "internal" && !code.startsWith("Z_"))) return error;
  if (code === "Z_BUF_ERROR" || code === "ERR_STREAM_PREMATURE_CLOSE" || /unexpected (EOF|end)/i.test(message)) {
    return new HostFailure("corrupt", "unexpected EOF");
  }
  return new HostFailure("corrupt", `decompression failed: ${message}`);
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const BZIP2 = Buffer.from("BZh");
const XZ = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]);
const LONGEST_MAGIC = 6;
/** Bytes of decompressed data at a time: fewer turns of the event loop. */
const CHUNK = 256 << 10;
