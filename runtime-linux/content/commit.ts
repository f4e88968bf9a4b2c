// A container's changes as a layer tar: the contents of its upper directory, with overlayfs's marks turned back into
// whiteouts (OCI image spec, layer.md). The same changes give the same bytes.

import { createHash, type Hash } from "node:crypto";
import { closeSync, read } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { interrupted } from "../../hosts/shared/index.js";
import type { engine } from "../../hosts/shared/index.js";
import type { Kernel } from "../kernel.js";
import {
  OPAQUE,
  WHITEOUT,
  baseOf,
  endOfArchive,
  headerOf,
  paddingOf,
  parentOf,
} from "../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../hosts/streams/tar/index.js";
import { readSmall, SMALL } from "./files/file-bytes.js";
import { openMember, padded, type Member } from "./files/pack.js";
import { LinkNames } from "./files/tar-entry.js";
import { walk, type Found } from "./files/walk.js";
import { MountPoints } from "./mount-points.js";

/** What a container has written: its upper directory. */
export interface Changes {
  upper: string;
  /** As in `commit`. */
  mountPoints: readonly string[];
  /** Directories of the layers below, the top first. */
  lower: readonly string[];
  /** Nothing was below it, so it hides nothing: the layer may be put on any other (`COPY --link`). */
  alone: boolean;
}

/** Writes the tar of an upper directory to a new file. */
export async function writeChanges(
  { upper, mountPoints, lower, alone }: Changes,
  into: string,
  kernel: Kernel,
  signal: AbortSignal,
): Promise<engine.Committed> {
  const file = await open(into, "wx", 0o600);
  const out = new Output(file);
  const hides = (path: Buffer): boolean => !alone && isOpaque(path, kernel);
  const links = new LinkNames();
  const points = new MountPoints(mountPoints, lower, kernel);
  let [size, empty] = [0n, true];
  try {
    for await (const found of walk(upper)) {
      if (signal.aborted) throw interrupted("given-up");
      if (points.has(found)) continue;
      const member = openMember(found, links, kernel, true);
      if (!member) continue;
      empty = false;
      await writeMember(found, member, out, hides);
      if (member.entry.type === "file") size += BigInt(member.entry.size);
    }
    await out.write(endOfArchive());
    await out.flush();
  } finally {
    await file.close();
  }
  return { diffId: `sha256:${out.hash.digest("hex")}`, size, empty };
}

/** `hides`: whether a directory hides what is below it. */
async function writeMember(
  found: Found,
  { entry, file }: Member,
  out: Output,
  hides: (path: Buffer) => boolean,
): Promise<void> {
  try {
    const isWhiteout = found.stat.isCharacterDevice() && found.stat.rdev === 0n;
    await out.write(headerOf(isWhiteout ? hiding(entry) : entry));
    if (entry.size > 0) await copyBody(file, entry.size, out);
    if (entry.type === "directory" && hides(found.path)) {
      await out.write(headerOf({ ...whiteout(entry), name: `${entry.name}${OPAQUE}` }));
    }
  } finally {
    if (file >= 0) closeSync(file);
  }
}

function hiding(entry: TarEntry): TarEntry {
  const parent = parentOf(entry.name);
  return { ...whiteout(entry), name: `${parent}${parent && "/"}${WHITEOUT}${baseOf(entry.name)}` };
}

function whiteout(entry: TarEntry): TarEntry {
  return { ...entry, type: "file", mode: 0o600, size: 0, major: 0, minor: 0, xattrs: new Map() };
}

function isOpaque(path: Buffer, kernel: Kernel): boolean {
  try {
    const value = kernel.lgetxattr(path, "trusted.overlay.opaque");
    return value !== undefined && Buffer.from(value).toString() === "y";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // removed meanwhile
    return false;
  }
}

/** Copies exactly as many bytes as the header says, even if the file grows or shrinks meanwhile. */
async function copyBody(file: number, size: number, out: Output): Promise<void> {
  // A turn of the event loop for each of many small files would cost more than reading them.
  if (size <= SMALL) return out.write(readSmall(file, size, padded(size)));
  for (let left = size; left > 0;) {
    const piece = Buffer.allocUnsafe(Math.min(left, PIECE));
    const { bytesRead } = await readFrom(file, piece, 0, piece.length, size - left);
    // Zeros if the file has become shorter.
    const written = bytesRead === 0 ? piece.fill(0) : piece.subarray(0, bytesRead);
    await out.write(written);
    left -= written.length;
  }
  await out.write(paddingOf(size));
}

/** Collects small pieces, because most of a tar is headers. */
class Output {
  readonly hash: Hash = createHash("sha256");
  readonly #file: FileHandle;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size >= PIECE) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    this.hash.update(bytes);
    for (let done = 0; done < bytes.length;) done += (await this.#file.write(bytes, done)).bytesWritten;
  }
}

const readFrom = promisify(read);
/** Bytes read or written at a time. */
const PIECE = 1 << 20;
