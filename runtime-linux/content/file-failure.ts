// What the kernel says of a container's file, told by the name that the file has there, in the words of Go's libraries:
// clients have seen no others.

import { failureOf, HostFailure } from "../../hosts/failure.js";
import { textOf } from "../../hosts/streams/tar/latin1.js";

/** `path` is bytes, one per character (see `tar/latin1.ts`). */
export function fileFailure(error: unknown, call: string, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const said = TEXTS[code ?? ""];
  if (error instanceof HostFailure || said === undefined) return error;
  const kind = code === "ELOOP" ? "invalid" : code === "EROFS" ? "denied" : failureOf(error).kind;
  return new HostFailure(kind, `${call} ${textOf(path)}: ${said}`);
}

const TEXTS: Record<string, string> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  EISDIR: "is a directory",
  EEXIST: "file exists",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many levels of symbolic links",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  EBUSY: "device or resource busy",
  EXDEV: "invalid cross-device link",
  ENAMETOOLONG: "file name too long",
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
  EFBIG: "file too large",
};
