// Extended attributes that a tar wants a file to have.

import { lchownSync, lstatSync } from "node:fs";
import { ownerSet, type TarEntry } from "../../../hosts/streams/tar/entry.js";
import { textOf } from "../../../hosts/streams/tar/latin1.js";
import type { Kernel } from "../../kernel.js";

/** Attributes of overlayfs belong to the host, not to images; those that the file system refuses are left out. */
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

/** Only where it is another: its capabilities go with every change, and a tar may tell them with its first name alone. */
export function changeOwner(path: Buffer, { uid, gid }: TarEntry): void {
  const there = lstatSync(path);
  const wanted = { uid: there.uid, gid: there.gid, ...ownerSet(uid, gid) };
  if (wanted.uid !== there.uid || wanted.gid !== there.gid) lchownSync(path, wanted.uid, wanted.gid);
}

/** What a file system says of an attribute that it does not keep. */
const REFUSED = new Set(["ENOTSUP", "EOPNOTSUPP", "EPERM", "EINVAL"]);
