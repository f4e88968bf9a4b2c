// Messages for a system call that failed: Go's texts for errno(3), after the name of the call and its path.

import { RefusedCall } from "../../../build/bindings/types";
import { quoteText } from "../text/go-quote";
import { FailureKind } from "./failure-kind";

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
  const words = errnoText(refused.error);
  // runc's text for mounts that it makes itself.
  if (refused.call == "mount" && refused.inside) return `error mounting ${quoteText(refused.path)}: ${words}`;
  const about =
    refused.call.length > 0 && refused.path.length > 0
      ? `${refused.call} ${refused.path}`
      : refused.call + refused.path;
  return about.length == 0 ? words : `${about}: ${words}`;
}

/** Whether it is the name of an errno whose text is known. */
export function isErrno(name: string): bool {
  return find(name) !== null;
}

/** Name of the errno whose text in Go or strerror(3) this is; if it is unknown, the text itself. */
export function errnoNamed(words: string): string {
  const lower = words.toLowerCase();
  for (let i = 0; i < ERRNOS.length; i++) if (ERRNOS[i].words == lower) return ERRNOS[i].name;
  return lower;
}

/** Go's text; for an unknown errno its name. */
export function errnoText(error: string): string {
  const found = find(error);
  return found === null ? error : found.words;
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
  new Errno("EAFNOSUPPORT", FailureKind.Invalid, "address family not supported by protocol"),
  new Errno("EPROTONOSUPPORT", FailureKind.Unsupported, "protocol not supported"),
  new Errno("EEXIST", FailureKind.Exists, "file exists"),
  new Errno("EBUSY", FailureKind.Busy, "device or resource busy"),
  new Errno("EADDRINUSE", FailureKind.Busy, "address already in use"),
  new Errno("EACCES", FailureKind.Denied, "permission denied"),
  new Errno("EPERM", FailureKind.Denied, "operation not permitted"),
  new Errno("EROFS", FailureKind.Denied, "read-only file system"),
  new Errno("ENOSPC", FailureKind.Exhausted, "no space left on device"),
  new Errno("EDQUOT", FailureKind.Exhausted, "disk quota exceeded"),
  new Errno("EFBIG", FailureKind.Exhausted, "file too large"),
  new Errno("EMFILE", FailureKind.Exhausted, "too many open files"),
  new Errno("ENFILE", FailureKind.Exhausted, "too many open files in system"),
  new Errno("ENOMEM", FailureKind.Exhausted, "cannot allocate memory"),
  new Errno("ECONNREFUSED", FailureKind.Unreachable, "connection refused"),
  new Errno("ECONNRESET", FailureKind.Unreachable, "connection reset by peer"),
  new Errno("EHOSTUNREACH", FailureKind.Unreachable, "no route to host"),
  new Errno("ENETUNREACH", FailureKind.Unreachable, "network is unreachable"),
  new Errno("ENOTFOUND", FailureKind.Unreachable, "no such host"),
  new Errno("EAI_AGAIN", FailureKind.Unreachable, "temporary failure in name resolution"),
  new Errno("ETIMEDOUT", FailureKind.Unreachable, "connection timed out"),
  new Errno("ENOTEMPTY", FailureKind.Internal, "directory not empty"),
  new Errno("EXDEV", FailureKind.Internal, "invalid cross-device link"),
  new Errno("ESRCH", FailureKind.Internal, "no such process"),
  new Errno("EINTR", FailureKind.Internal, "interrupted system call"),
  new Errno("EAGAIN", FailureKind.Internal, "resource temporarily unavailable"),
  new Errno("EBADF", FailureKind.Internal, "bad file descriptor"),
  new Errno("ENXIO", FailureKind.Internal, "no such device or address"),
  new Errno("ENOTBLK", FailureKind.Internal, "block device required"),
  new Errno("ENODEV", FailureKind.Internal, "no such device"),
  new Errno("ENOSYS", FailureKind.Internal, "function not implemented"),
  new Errno("EOPNOTSUPP", FailureKind.Internal, "operation not supported"),
  new Errno("ENOTSUP", FailureKind.Internal, "operation not supported"),
  new Errno("EPIPE", FailureKind.Internal, "broken pipe"),
  new Errno("EMLINK", FailureKind.Internal, "too many links"),
  new Errno("ENOEXEC", FailureKind.Internal, "exec format error"),
  new Errno("ETXTBSY", FailureKind.Internal, "text file busy"),
  new Errno("E2BIG", FailureKind.Internal, "argument list too long"),
  new Errno("ESTALE", FailureKind.Internal, "stale NFS file handle"),
  new Errno("EIO", FailureKind.Internal, "input/output error"),
];
