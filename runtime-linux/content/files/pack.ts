// Files of this machine as a tar, in one streaming pass.

import * as fs from "node:fs";
import { BLOCK, type TarEntry } from "../../../hosts/streams/tar/entry.js";
import { endOfArchive, headerOf, paddingOf } from "../../../hosts/streams/tar/writer.js";
import type { Kernel } from "../../kernel.js";
import { bodyOf, PIECE, readSmall, SMALL } from "./file-bytes.js";
import { entryOf, LinkNames } from "./tar-entry.js";
import type { Found } from "./walk.js";

/**
 * A tar of what is found, in that order, under these names. What is gone when its turn comes is left out; a file that
 * changes while it is read has as many bytes as it had at first.
 */
export async function* pack(found: AsyncIterable<Found>, kernel: Kernel): AsyncGenerator<Uint8Array> {
  const links = new LinkNames();
  let [pieces, size]: [Uint8Array[], number] = [[], 0];
  for await (const one of found) {
    const member = openMember(one, links, kernel);
    if (!member) continue;
    const { entry, file } = member;
    // As Docker's tars have it: a fraction would need a record of its own for each file.
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

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

export interface Member {
  entry: TarEntry;
  /** -1 unless it has a body; whoever asked for it closes it. */
  file: number;
}

/** A regular file is what it is once it is open. Undefined for what is gone, and for what a tar cannot hold: a socket. */
export function openMember(found: Found, links: LinkNames, kernel: Kernel): Member | undefined {
  let file = -1;
  try {
    if (found.stat.isFile()) {
      file = fs.openSync(found.path, TO_READ);
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

const TO_READ = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
/** Somebody removed it or put something else in its place (EINVAL: of a link); or a socket, which cannot be opened. */
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EISDIR", "EINVAL"]);
const SECOND = 1_000_000_000n;
