// Describes the files of the catalogue's layers and packs them as tars, always with the same bytes.

import { gzipSync } from "fflate";
import { digestOf } from "../../registry/index.js";
import { joined } from "../../shared/index.js";
import { bytesOf, endOfArchive, headerOf, paddingOf } from "../../streams/tar/index.js";
import type { TarEntry } from "../../streams/tar/index.js";

/** One file of a layer. Directories' paths end in a slash; a whiteout is a file with a whiteout's name. */
export interface LayerFile {
  path: string;
  mode?: number;
  uid?: number;
  gid?: number;
  body?: Uint8Array | string;
  symlink?: string;
  /** Path of another file of the layer that this is a hard link to. */
  link?: string;
}

/** A layer as registries store it. */
export interface PackedLayer {
  tar: Uint8Array;
  diffId: string;
  /** Compressed with gzip. */
  blob: Uint8Array;
  digest: string;
}

/** The time of all files, in seconds since 1970: 2025-06-01T00:00:00Z. */
export const MADE_AT = 1_748_736_000;

export function packLayer(files: readonly LayerFile[]): PackedLayer {
  const tar = tarOf(files);
  // The gzip header holds no time. Filler is not compressed, because that takes too long.
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

/** A file that stands for a program of the world: see `processes/executable.ts`. */
export function program(path: string, name: string): LayerFile {
  return { path, mode: 0o755, body: `#!coracle ${name}\n` };
}

export function directories(...paths: (string | [path: string, mode: number])[]): LayerFile[] {
  return paths.map((path) => (typeof path === "string" ? { path } : { path: path[0], mode: path[1] }));
}

/** Random bytes without a meaning, to give a layer some size. */
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
 * An ELF header and filler. It runs the world's program of the name that it is called by, on any architecture
 * (e_machine is EM_NONE).
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

/** A tar larger than this is mostly filler. */
const LARGE = 100 << 10;
