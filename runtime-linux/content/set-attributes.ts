// Extended attributes that a tar wants a file to have.

import { textOf } from "../../hosts/streams/tar/latin1.js";
import type { Kernel } from "../kernel.js";

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

/** What a file system says of an attribute that it does not keep. */
const REFUSED = new Set(["ENOTSUP", "EOPNOTSUPP", "EPERM", "EINVAL"]);
