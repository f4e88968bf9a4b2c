// What a program of the simulated world sees of its container's files: POSIX in miniature, in memory, at once.

/** Errors of file operations, as errno(3) names them. */
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
  | "EXDEV"
  | "ENAMETOOLONG";

/** A file operation that failed. `message` is the C library's text: `No such file or directory`. */
export class FileError extends Error {
  constructor(
    readonly code: FileErrorCode,
    readonly path: string,
  ) {
    super(FILE_ERROR_TEXTS[code]);
  }
}

/** By its text. */
export function errorNamed(text: string): FileErrorCode {
  const [code] = Object.entries(FILE_ERROR_TEXTS).find(([, words]) => words === text) ?? ["ENOENT"];
  return code as FileErrorCode;
}

const FILE_ERROR_TEXTS: Record<FileErrorCode, string> = {
  ENOENT: "No such file or directory",
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
};

/** What stands under a name. */
export type FileKind = "file" | "directory" | "symlink" | "character" | "block" | "fifo";

/** What stat(2) tells. */
export interface FileStatus {
  kind: FileKind;
  /** Permissions, setuid, setgid and sticky bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Bytes of a file, length of a symlink's target, 0 for the rest. */
  size: number;
  /** Last change of the bytes, in nanoseconds since 1970. */
  modified: bigint;
  /** Of a symlink. */
  target: string;
  /** Names that lead to it. */
  links: number;
  /** Of a device; 0 for the rest. */
  major: number;
  minor: number;
}

/** Absolute paths, `/` for the root; `.`, `..` and symlinks are resolved inside of it. Everything throws `FileError`. */
export interface FileSystem {
  /** Follows a symlink at the end of the path. */
  status(path: string): FileStatus;
  /** Tells of the symlink itself. */
  linkStatus(path: string): FileStatus;
  /** The absolute path without symlinks, `.` or `..`. */
  resolve(path: string): string;
  /** The whole content; must not be changed. Of devices only /dev/null has one: nothing. */
  read(path: string): Uint8Array;
  /** Makes the file if it is not there (`mode`, 0644 if not given); else replaces its content. */
  write(path: string, bytes: Uint8Array, mode?: number): void;
  /** Makes the file, 0644, if it is not there. */
  append(path: string, bytes: Uint8Array): void;
  /** Names in a directory, sorted, without `.` and `..`. */
  list(path: string): string[];
  /** Its parent must be there. `mode`: 0755 if not given. */
  makeDirectory(path: string, mode?: number): void;
  /** Removes a file or symlink. */
  remove(path: string): void;
  /** Removes an empty directory. */
  removeDirectory(path: string): void;
  symlink(target: string, path: string): void;
  /** Another name for the same file. */
  link(existing: string, path: string): void;
  /** Takes the place of what `to` names, as rename(2) does. */
  rename(from: string, to: string): void;
  changeMode(path: string, mode: number): void;
  changeOwner(path: string, uid: number, gid: number): void;
  /** Sets the time of a file that is there. */
  touch(path: string, modified: bigint): void;
}
