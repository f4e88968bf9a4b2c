// How the catalogue's layers are written down, and turned into tars: always the same bytes.

import { gzipSync } from "fflate";
import { digestOf } from "../../registry/digest.js";
import { joined } from "../../streams/bytes.js";
import type { TarEntry } from "../../streams/tar/entry.js";
import { bytesOf } from "../../streams/tar/latin1.js";
import { endOfArchive, headerOf, paddingOf } from "../../streams/tar/writer.js";

/** One file of a layer. Directories' paths end in a slash; a whiteout is a file of that name. */
export interface LayerFile {
  path: string;
  mode?: number;
  uid?: number;
  gid?: number;
  body?: Uint8Array | string;
  symlink?: string;
  /** Hard link to another file of the layer. */
  link?: string;
}

/** A layer as registries keep it. */
export interface PackedLayer {
  tar: Uint8Array;
  diffId: string;
  /** gzip. */
  blob: Uint8Array;
  digest: string;
}

/** When all of it was made, in seconds since 1970: 2025-06-01T00:00:00Z. */
export const MADE_AT = 1_748_736_000;

export function packLayer(files: readonly LayerFile[]): PackedLayer {
  const tar = tarOf(files);
  // No time in its header; filler is not worth the time that it takes to compress.
  const blob = gzipSync(tar, { mtime: 0, level: tar.length > LARGE ? 0 : 6 });
  return { tar, diffId: digestOf(tar), blob, digest: digestOf(blob) };
}

export function tarOf(files: readonly LayerFile[]): Uint8Array {
  const pieces = files.flatMap((file) => {
    const body = typeof file.body === "string" ? new TextEncoder().encode(file.body) : (file.body ?? new Uint8Array(0));
    return [headerOf(entryOf(file, body.length)), body, paddingOf(body.length)];
  });
  return joined([...pieces, endOfArchive()]);
}

/** A program of the world: see `processes/executable.ts`. */
export function program(path: string, name: string): LayerFile {
  return { path, mode: 0o755, body: `#!coracle ${name}\n` };
}

export function directories(...paths: (string | [path: string, mode: number])[]): LayerFile[] {
  return paths.map((path) => (typeof path === "string" ? { path } : { path: path[0], mode: path[1] }));
}

/** Random bytes that stand for nothing, so that a layer has a size. */
export function filler(size: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(size);
  // xorshift32 (Marsaglia).
  let state = seed | 1;
  for (let at = 0; at < size; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state;
  }
  return bytes;
}

/**
 * The beginning of a program for Linux, and filler: it runs the world's program of the name it is called by, on any
 * architecture (e_machine is EM_NONE).
 */
export function elf(size: number, seed: number): Uint8Array {
  const bytes = filler(size, seed);
  bytes.fill(0, 0, 64);
  // ELF header: 64 bits, little-endian, ET_EXEC.
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  bytes[16] = 2;
  return bytes;
}

function entryOf(file: LayerFile, size: number): TarEntry {
  const { path, uid = 0, gid = 0, symlink, link } = file;
  const isDirectory = path.endsWith("/");
  const type = isDirectory ? "directory" : symlink !== undefined ? "symlink" : link !== undefined ? "link" : "file";
  return {
    name: bytesOf(path),
    type,
    mode: file.mode ?? (isDirectory ? 0o755 : symlink !== undefined ? 0o777 : 0o644),
    uid,
    gid,
    size,
    holes: 0,
    mtime: BigInt(MADE_AT) * 1_000_000_000n,
    target: bytesOf(symlink ?? link ?? ""),
    major: 0,
    minor: 0,
    xattrs: new Map(),
  };
}

/** Bytes of a tar that is mostly filler. */
const LARGE = 100 << 10;
