// A container's files as a program of the simulated world sees them: a small, synchronous POSIX file system in memory.

/** Errors of file operations and of starting programs, as errno(3) names them. */
export type FileErrorCode =
  | "ENOENT"
  | "EEXIST"
  | "ENOTDIR"
  | "EISDIR"
  | "ENOTEMPTY"
  | "ELOOP"
  | "EACCES"
  | "EBUSY"
  | "EPERM"
  | "EROFS"
  | "ENOSPC"
  | "EINVAL"
  | "ENODEV"
  | "EXDEV"
  | "ENAMETOOLONG"
  | "ENOEXEC";

/** A file operation that failed. `message` is the C library's text: `No such file or directory`. */
export class FileError extends Error {
  constructor(
    readonly code: FileErrorCode,
    readonly path: string,
  ) {
    super(errorText(code));
  }
}

/** In the C library's words. */
export function errorText(code: FileErrorCode): string {
  return ERROR_TEXTS[code];
}

const ERROR_TEXTS: Record<FileErrorCode, string> = {
  ENOENT: "No such file or directory",
  ENODEV: "No such device",
  EEXIST: "File exists",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  ENOSPC: "No space left on device",
  EINVAL: "Invalid argument",
  EXDEV: "Invalid cross-device link",
  ENAMETOOLONG: "File name too long",
  ENOEXEC: "Exec format error",
};

/** Types of files. */
export type FileKind = "file" | "directory" | "symlink" | "character" | "block" | "fifo" | "socket";

/** The facts that stat(2) reports. */
export interface FileStatus {
  kind: FileKind;
  /** Permission bits, setuid, setgid and sticky bit. */
  mode: number;
  uid: number;
  gid: number;
  /** Bytes of a file, length of a symlink's target, otherwise 0. */
  size: number;
  /** When the bytes last changed, in nanoseconds since 1970. */
  modified: bigint;
  /** For a symlink. */
  target: string;
  /** Number of names (hard links). */
  links: number;
  /** For a device; otherwise 0. */
  major: number;
  minor: number;
}

/**
 * Takes absolute paths; `/` is the root. `.`, `..` and symlinks are resolved inside it. All methods throw `FileError`.
 */
export interface FileSystem {
  /** Follows a symlink at the end of the path. */
  status(path: string): FileStatus;
  /** Describes the symlink itself. */
  linkStatus(path: string): FileStatus;
  /** The absolute path without symlinks, `.` or `..`. */
  resolve(path: string): string;
  /** The whole content. The caller must not change it. Of all devices only /dev/null can be read: it is empty. */
  read(path: string): Uint8Array;
  /** Makes the file if it does not exist (`mode`: 0644 if not given); otherwise replaces its content. */
  write(path: string, bytes: Uint8Array, mode?: number): void;
  /** Makes the file (0644) if it does not exist. */
  append(path: string, bytes: Uint8Array): void;
  /** Names in a directory, sorted, without `.` and `..`. */
  list(path: string): string[];
  /** The parent must exist. `mode` is 0755 if not given. */
  makeDirectory(path: string, mode?: number): void;
  /** Removes a file or symlink. */
  remove(path: string): void;
  /** Removes an empty directory. */
  removeDirectory(path: string): void;
  symlink(target: string, path: string): void;
  /** Makes another name (a hard link) for the same file. */
  link(existing: string, path: string): void;
  /** Replaces what `to` names, as rename(2) does. */
  rename(from: string, to: string): void;
  changeMode(path: string, mode: number): void;
  changeOwner(path: string, uid: number, gid: number): void;
  /** Sets the modification time of an existing file. */
  touch(path: string, modified: bigint): void;
}
