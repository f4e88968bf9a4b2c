// Decompression alone: its output, and how much of it is in memory at a time.

import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { HostFailure } from "../../../hosts/shared/failure.js";
import { decompressed } from "../../../runtime-linux/content/layers/decompress.js";
import { zstdInScript } from "../../../runtime-linux/content/layers/zstd.js";
import { gzipDecoder } from "../../../runtime-linux/kernel/decoders/gzip.js";
import { zstdDecoder } from "../../../runtime-linux/kernel/decoders/zstd.js";
import { findProgram } from "../../../runtime-linux/launch/find-program.js";
import { zstdStored } from "../../support/archives/tar.js";
import { flat } from "../../support/failed.js";

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** A frame with a window of 2 MiB, no content size and no checksum. */
const HEADER = Buffer.from([...MAGIC, 0x00, 0x58]);
const BLOCK = 128 << 10;

function block(type: number, size: number, isLast: boolean, content: Uint8Array): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3);
  return Buffer.concat([head, content]);
}

/** One byte, repeated `size` times. */
const repeated = (size: number, isLast: boolean) => block(1, size, isLast, Buffer.from([7]));

async function* inPieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

async function failure(bytes: Uint8Array): Promise<unknown> {
  const error: unknown = await all(decompressed(inPieces(bytes))).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof HostFailure ? flat(error.failure) : error;
}

test("16 KiB of zstd that stand for 512 MiB are never in memory at once", async () => {
  const count = 4096;
  const bomb = Buffer.concat([HEADER, ...Array.from({ length: count }, (_, at) => repeated(BLOCK, at === count - 1))]);
  for (const decoder of [decompressed, zstdInScript]) {
    const before = process.memoryUsage().arrayBuffers;
    let [bytes, largest, held] = [0, 0, 0];
    for await (const chunk of decoder(inPieces(bomb))) {
      if (bytes === 0) held = process.memoryUsage().arrayBuffers - before;
      bytes += chunk.length;
      largest = Math.max(largest, chunk.length);
    }
    expect(bytes).toBe(count * BLOCK);
    expect(largest).toBeLessThanOrEqual(256 << 10);
    expect(held).toBeLessThan(16 << 20);
  }
});

test("zstd is decompressed correctly in pieces of any size, with several frames and skippable ones", async () => {
  const text = Buffer.from("some words ".repeat(30_000));
  const skipped = Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from("any")]);
  const empty = Buffer.from([...MAGIC, 0x20, 0x00, 0x01, 0x00, 0x00]);
  const frames = Buffer.concat([
    zstdStored(text),
    skipped,
    empty,
    zstdStored(Buffer.from("x")),
    HEADER,
    repeated(3, true),
  ]);
  const expected = Buffer.concat([text, Buffer.from("x"), Buffer.from([7, 7, 7])]);
  for (const size of [7, 1024, frames.length]) {
    expect((await all(decompressed(inPieces(frames, size)))).equals(expected)).toBe(true);
    expect((await all(zstdInScript(inPieces(frames, size)))).equals(expected)).toBe(true);
  }
});

const GZIPPED = gzipSync("some words ".repeat(30_000));

test("gzip is decompressed correctly in pieces of any size, with several members and zeros at the end", async () => {
  const text = Buffer.from("some words ".repeat(30_000));
  const members = Buffer.concat([GZIPPED, gzipSync(""), gzipSync("x", { level: 0 })]);
  const expected = Buffer.concat([text, Buffer.from("x")]);
  for (const bytes of [members, Buffer.concat([members, Buffer.alloc(700), Buffer.from("anything")])]) {
    for (const size of [7, 1024, bytes.length]) {
      expect((await all(decompressed(inPieces(bytes, size)))).equals(expected)).toBe(true);
    }
  }
});

test("gzip's headers are read with any fields, in pieces of any size", async () => {
  const [magic, about, rest] = [GZIPPED.subarray(0, 3), GZIPPED.subarray(4, 10), GZIPPED.subarray(10)];
  const [extra, name, comment] = [Buffer.from([3, 0, 0, 1, 0]), Buffer.from("name\0"), Buffer.from("a comment\0")];
  for (let flags = 0; flags < 32; flags += 2) {
    const fields = [flags & 4 ? [extra] : [], flags & 8 ? [name] : [], flags & 16 ? [comment] : []].flat();
    const head = Buffer.concat([magic, Buffer.from([flags]), about, ...fields]);
    const sum = Buffer.alloc(flags & 2 ? 2 : 0);
    if (sum.length > 0) sum.writeUInt16LE(crc32(head) & 0xffff);
    const whole = Buffer.concat([GZIPPED, head, sum, rest]);
    for (const size of [1, 11, whole.length]) {
      expect((await all(decompressed(inPieces(whole, size)))).toString("latin1", 0, 22)).toBe("some words some words ");
    }
  }
});

/** RFC 1952 §8, bit by bit. Node has it since 20.15. */
function crc32(bytes: Buffer): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

test.each<[string, Buffer, string]>([
  ["with flags that nobody has defined", changedAt(GZIPPED, 3), "compression"],
  ["cut in the header", GZIPPED.subarray(0, 6), "cut"],
  ["cut in a block", GZIPPED.subarray(0, GZIPPED.length >> 1), "cut"],
  ["cut in the checksum", GZIPPED.subarray(0, GZIPPED.length - 6), "cut"],
  ["with a wrong checksum", changedAt(GZIPPED, GZIPPED.length - 6), "compression"],
  ["with a wrong byte", changedAt(GZIPPED, 12), "compression"],
  ["followed by junk", Buffer.concat([GZIPPED, Buffer.from("junk, more than one header of it")]), "compression"],
])("gzip %s is refused", async (_, bytes, what) => {
  expect(await failure(bytes)).toMatchObject({ tag: "damaged", val: { what } });
});

function changedAt(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 0xff;
  return changed;
}

const zstd = findProgram("zstd");

const LIBRARIES = [
  ["libisal.so.2", gzipDecoder],
  ["libzstd.so.1", zstdDecoder],
] as const;

test.each(LIBRARIES)("%s does the work if the machine has it", (name, decoder) => {
  const isThere = execFileSync("/sbin/ldconfig", ["-p"], { encoding: "utf8" }).includes(`${name} (`);
  const found = decoder();
  found?.close();
  expect(found !== null).toBe(isThere);
});

test("without the libraries everything is decompressed by Node or scripts", async () => {
  vi.resetModules();
  for (const [name, decoder] of [
    ["gzip", "gzipDecoder"],
    ["zstd", "zstdDecoder"],
  ] as const)
    vi.doMock(`../../../runtime-linux/kernel/decoders/${name}.js`, () => ({ [decoder]: () => null }));
  const { decompressed: without } = await import("../../../runtime-linux/content/layers/decompress.js");
  for (const name of ["gzip", "zstd"]) vi.doUnmock(`../../../runtime-linux/kernel/decoders/${name}.js`);
  const text = Buffer.from("some words ".repeat(30_000));
  const members = Buffer.concat([GZIPPED, gzipSync("x")]);
  for (const size of [7, members.length]) {
    expect((await all(without(inPieces(members, size)))).equals(Buffer.concat([text, Buffer.from("x")]))).toBe(true);
    expect((await all(without(inPieces(zstdStored(text), size)))).equals(text)).toBe(true);
  }
  for (const whole of [GZIPPED, zstdStored(text)])
    await expect(all(without(inPieces(whole.subarray(0, -3))))).rejects.toMatchObject({
      failure: { val: { what: "cut" } },
    });
});

test("data compressed by zstd itself is decompressed", async ({ skip }) => {
  if (zstd === null) skip("zstd is not installed");
  const text = Buffer.from(Array.from({ length: 30_000 }, (_, at) => `line ${at * at} of some\n`).join(""));
  for (const options of [["-1"], ["-19", "--long=24"], ["--no-check", "-3"], ["--no-content-size"]]) {
    const bytes = execFileSync(zstd!, ["-c", "-q", ...options], { input: text, maxBuffer: 1 << 28 });
    for (const size of [1000, bytes.length]) {
      expect((await all(zstdInScript(inPieces(bytes, size)))).equals(text)).toBe(true);
      expect((await all(decompressed(inPieces(bytes, size)))).equals(text)).toBe(true);
    }
  }
});

test.each<[string, Buffer, string]>([
  ["cut in the header", HEADER.subarray(0, 5), "cut"],
  ["cut in a block", Buffer.concat([HEADER, block(0, 100, true, Buffer.alloc(99))]), "cut"],
  ["without a last block", Buffer.concat([HEADER, repeated(10, false)]), "cut"],
  ["followed by junk", Buffer.concat([HEADER, repeated(10, true), Buffer.from("junk")]), "compression"],
  ["with a block that is too large", Buffer.concat([HEADER, repeated(2 << 19, true)]), "compression"],
  ["with a window that is too large", Buffer.from([...MAGIC, 0x00, 0xa0, 1, 0, 0]), "compression"],
])("zstd %s is refused", async (_, bytes, what) => {
  expect(await failure(bytes)).toMatchObject({ tag: "damaged", val: { what } });
});
