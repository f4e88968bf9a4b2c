// Sets the extended attributes that a tar gives a file.

import { fchmodSync, fchownSync, fstatSync, lchownSync, lstatSync } from "node:fs";
import { ownerSet, textOf } from "../../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import type { Kernel } from "../../kernel.js";

/**
 * Leaves out overlayfs's attributes, which belong to the host and not to images, and those that the file system
 * refuses.
 */
export function setAttributes(path: Buffer, xattrs: ReadonlyMap<string, string>, kernel: Kernel): void {
  for (const [key, value] of xattrs) {
    if (/^(trusted|user)\.overlay\./.test(key)) continue;
    try {
      kernel.lsetxattr(path, textOf(key), Buffer.from(value, "latin1"));
    } catch (error) {
      if (!REFUSED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/**
 * Only if the owner differs: every change of owner clears the file's capabilities, and a tar may list those with the
 * first name only. `there`: the owner that the file has. Returns whether it was changed.
 */
export function changeOwner(path: Buffer, { uid, gid }: TarEntry, there: Owner = lstatSync(path)): boolean {
  const had = { uid: Number(there.uid), gid: Number(there.gid) };
  const wanted = { ...had, ...ownerSet(uid, gid) };
  if (wanted.uid === had.uid && wanted.gid === had.gid) return false;
  lchownSync(path, wanted.uid, wanted.gid);
  return true;
}

/**
 * For a new file that was made with its mode. Mostly it has all already, unless a umask, an access list or the group of its
 * directory has changed something. To ask is cheaper than to change.
 */
export function completeNew(fd: number, { uid, gid, mode }: TarEntry): void {
  const had = fstatSync(fd);
  const isOwned = had.uid === uid && had.gid === gid;
  if (!isOwned) fchownSync(fd, uid, gid);
  // A change of owner clears bits of the mode.
  if (!isOwned || (had.mode & 0o7777) !== mode) fchmodSync(fd, mode);
}

type Owner = Record<"uid" | "gid", number | bigint>;

/** Errors of a file system that does not keep an attribute. */
const REFUSED = new Set(["ENOTSUP", "EOPNOTSUPP", "EPERM", "EINVAL"]);
