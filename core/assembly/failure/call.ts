// What is told of a call that the operating system refused: Go's words for errno(3), behind the call and its path.

import { FailureKind, RefusedCall } from "../../../build/bindings/types";

class Errno {
  constructor(
    readonly name: string,
    readonly kind: FailureKind,
    readonly words: string,
  ) {}
}

export function callKind(error: string): FailureKind {
  const found = find(error);
  return found === null ? FailureKind.Internal : found.kind;
}

/** `open /etc/passwd: no such file or directory`. */
export function callText(refused: RefusedCall): string {
  const found = find(refused.error);
  const words = found === null ? refused.error : found.words;
  if (refused.call.length == 0) return words;
  return refused.path.length == 0 ? `${refused.call}: ${words}` : `${refused.call} ${refused.path}: ${words}`;
}

function find(name: string): Errno | null {
  for (let i = 0; i < ERRNOS.length; i++) if (ERRNOS[i].name == name) return ERRNOS[i];
  return null;
}

const ERRNOS: Errno[] = [
  new Errno("ENOENT", FailureKind.NotFound, "no such file or directory"),
  new Errno("ENOTDIR", FailureKind.Invalid, "not a directory"),
  new Errno("EISDIR", FailureKind.Invalid, "is a directory"),
  new Errno("EINVAL", FailureKind.Invalid, "invalid argument"),
  new Errno("ELOOP", FailureKind.Invalid, "too many levels of symbolic links"),
  new Errno("ENAMETOOLONG", FailureKind.Invalid, "file name too long"),
  new Errno("EADDRNOTAVAIL", FailureKind.Invalid, "cannot assign requested address"),
  new Errno("EEXIST", FailureKind.Exists, "file exists"),
  new Errno("EBUSY", FailureKind.Busy, "device or resource busy"),
  new Errno("EADDRINUSE", FailureKind.Busy, "address already in use"),
  new Errno("EACCES", FailureKind.Denied, "permission denied"),
  new Errno("EPERM", FailureKind.Denied, "operation not permitted"),
  new Errno("EROFS", FailureKind.Denied, "read-only file system"),
  new Errno("ENOSPC", FailureKind.Exhausted, "no space left on device"),
  new Errno("EDQUOT", FailureKind.Exhausted, "disk quota exceeded"),
  new Errno("EMFILE", FailureKind.Exhausted, "too many open files"),
  new Errno("ENFILE", FailureKind.Exhausted, "too many open files in system"),
  new Errno("ENOMEM", FailureKind.Exhausted, "cannot allocate memory"),
  new Errno("ECONNREFUSED", FailureKind.Unreachable, "connection refused"),
  new Errno("ECONNRESET", FailureKind.Unreachable, "connection reset by peer"),
  new Errno("EHOSTUNREACH", FailureKind.Unreachable, "no route to host"),
  new Errno("ENETUNREACH", FailureKind.Unreachable, "network is unreachable"),
  new Errno("ENOTFOUND", FailureKind.Unreachable, "no such host"),
  new Errno("ETIMEDOUT", FailureKind.Unreachable, "connection timed out"),
  new Errno("ENOTEMPTY", FailureKind.Internal, "directory not empty"),
  new Errno("EXDEV", FailureKind.Internal, "invalid cross-device link"),
  new Errno("EFBIG", FailureKind.Internal, "file too large"),
  new Errno("EIO", FailureKind.Internal, "input/output error"),
];
