// A container's changes as a layer tar: what its upper directory holds, overlayfs's marks turned back into whiteouts
// (OCI image spec, layer.md). The same changes give the same bytes.

import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { HostFailure } from "../../hosts/failure.js";
import type { engine } from "../../hosts/host.js";
import type { Kernel } from "../kernel.js";
import { baseOf, OPAQUE, parentOf, WHITEOUT } from "../../hosts/streams/tar/names.js";
import type { TarEntry } from "../../hosts/streams/tar/entry.js";
import { endOfArchive, headerOf, paddingOf } from "../../hosts/streams/tar/writer.js";
import { entryOf, LinkNames } from "./tar-entry.js";
import { walk, type Found } from "./walk.js";

/** Writes the tar of an upper directory to a new file. */
export async function writeChanges(
  upper: string,
  into: string,
  kernel: Kernel,
  signal: AbortSignal,
): Promise<engine.Committed> {
  const file = await open(into, "wx", 0o600);
  const out = new Output(file);
  const links = new LinkNames();
  let [size, empty] = [0n, true];
  try {
    for await (const found of walk(upper)) {
      if (signal.aborted) throw new HostFailure("interrupted", "context canceled");
      const entry = changeOf(found, links, kernel);
      if (!entry) continue;
      empty = false;
      await out.write(headerOf(entry));
      if (entry.size > 0) await copyBody(found.path, entry.size, out);
      if (entry.type === "file") size += BigInt(entry.size);
      if (entry.type === "directory" && isOpaque(found.path, kernel)) {
        await out.write(headerOf({ ...whiteout(entry), name: `${entry.name}${OPAQUE}` }));
      }
    }
    await out.write(endOfArchive());
    await out.flush();
  } finally {
    await file.close();
  }
  return { diffId: `sha256:${out.hash.digest("hex")}`, size, empty };
}

/** Undefined for what a layer cannot hold: a socket. */
function changeOf(found: Found, links: LinkNames, kernel: Kernel): TarEntry | undefined {
  const entry = entryOf(found, links, kernel);
  return found.stat.isCharacterDevice() && found.stat.rdev === 0n && entry ? hiding(entry) : entry;
}

function hiding(entry: TarEntry): TarEntry {
  const parent = parentOf(entry.name);
  return { ...whiteout(entry), name: `${parent}${parent && "/"}${WHITEOUT}${baseOf(entry.name)}` };
}

function whiteout(entry: TarEntry): TarEntry {
  return { ...entry, type: "file", mode: 0o600, size: 0, major: 0, minor: 0, xattrs: new Map() };
}

function isOpaque(path: Buffer, kernel: Kernel): boolean {
  const value = kernel.lgetxattr(path, "trusted.overlay.opaque");
  return value !== undefined && Buffer.from(value).toString() === "y";
}

/** Exactly as many bytes as its header says, though the file may be growing or shrinking. */
async function copyBody(path: Buffer, size: number, out: Output): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (let left = size; left > 0;) {
      const piece = Buffer.allocUnsafe(Math.min(left, PIECE));
      const { bytesRead } = await file.read(piece, 0, piece.length);
      if (bytesRead === 0) await out.write(Buffer.alloc(left));
      else await out.write(piece.subarray(0, bytesRead));
      left -= bytesRead === 0 ? left : bytesRead;
    }
  } finally {
    await file.close();
  }
  await out.write(paddingOf(size));
}

/** Gathers small pieces: most of a tar is headers. */
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

/** Bytes read or written at once. */
const PIECE = 1 << 20;
