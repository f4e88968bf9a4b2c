// Files of this machine as a tar, in one streaming pass.

import * as fs from "node:fs";
import { BLOCK, endOfArchive, headerOf, paddingOf } from "../../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";
import { bodyOf, PIECE, readSmall, SMALL } from "./file-bytes.js";
import { entryOf, LinkNames } from "./tar-entry.js";
import type { Found } from "./walk.js";

/**
 * A tar of the found files, in that order, under these names. A file that is gone when its turn comes is left out. A
 * file that changes while it is read keeps the size that it had at first.
 */
export async function* pack(found: AsyncIterable<Found>, kernel: Kernel): AsyncGenerator<Uint8Array> {
  const links = new LinkNames();
  let [pieces, size]: [Uint8Array[], number] = [[], 0];
  for await (const one of found) {
    const member = openMember(one, links, kernel);
    if (!member) continue;
    const { entry, file } = member;
    // Docker's tars have whole seconds: a fraction would need an extra record for each file.
    entry.mtime -= ((entry.mtime % SECOND) + SECOND) % SECOND;
    try {
      const head = headerOf(entry);
      const small = file >= 0 && entry.size <= SMALL ? readSmall(file, entry.size, padded(entry.size)) : undefined;
      pieces.push(head);
      if (small) pieces.push(small);
      size += head.length + (small?.length ?? 0);
      if (size < PIECE && (small || file < 0)) continue;
      yield Buffer.concat(pieces.splice(0));
      size = 0;
      if (file < 0 || small) continue;
      yield* bodyOf(file, entry.size);
      pieces.push(paddingOf(entry.size));
    } finally {
      if (file >= 0) fs.closeSync(file);
    }
  }
  yield Buffer.concat([...pieces, endOfArchive()]);
}

/** With the zeros that fill the last block. */
export function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

export interface Member {
  entry: TarEntry;
  /** -1 if the entry has no body. The caller closes it. */
  file: number;
}

/**
 * Only an open file is certain to be a regular one. Undefined for a file that is gone, and for a socket, which a tar
 * cannot hold. `quiet`: leaves the file's time of access as it is, where the kernel allows that.
 */
export function openMember(found: Found, links: LinkNames, kernel: Kernel, quiet = false): Member | undefined {
  let file = -1;
  try {
    if (found.stat.isFile()) {
      file = quiet ? openQuietly(found.path) : fs.openSync(found.path, TO_READ);
      const stat = fs.fstatSync(file, { bigint: true });
      if (stat.isFile()) found = { ...found, stat };
    }
    const entry = entryOf(found, links, kernel, file);
    if (entry?.type === "file") return { entry, file };
    if (file >= 0) fs.closeSync(file);
    return entry && { entry, file: -1 };
  } catch (error) {
    if (file >= 0) fs.closeSync(file);
    if (GONE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** O_NOATIME needs the file's owner or CAP_FOWNER (open(2)). Without them the file is read like any other. */
function openQuietly(path: Buffer): number {
  try {
    return fs.openSync(path, TO_READ | fs.constants.O_NOATIME);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") throw error;
    return fs.openSync(path, TO_READ);
  }
}

const TO_READ = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
/** The file was removed or replaced (EINVAL: it was a link), or it is a socket, which cannot be opened. */
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR", "EINVAL"]);
const SECOND = 1_000_000_000n;
