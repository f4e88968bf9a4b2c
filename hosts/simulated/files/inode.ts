// What stands behind a name: one file of a tree in memory.

import { isAscii } from "../../streams/tar/latin1.js";
import { FileError, type FileKind } from "./file-system.js";

export interface Inode {
  kind: FileKind;
  /** The tree that may change it; null: nobody, it is shared. */
  owner: object | null;
  /** Permissions, setuid, setgid and sticky bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Nanoseconds since 1970. */
  modified: bigint;
  /** Names that lead to it. */
  links: number;
  /** Content of a file. Never changed in place below `size` bytes: `read` hands it out. */
  bytes: Uint8Array;
  /** Bytes of the content; there may be room for more behind them. */
  size: number;
  /** Content that is made when it is read, in place of `bytes`. */
  made: (() => Uint8Array) | null;
  /** Of a symlink. */
  target: string;
  /** Of a device. */
  major: number;
  minor: number;
  /** Of a directory; empty for the rest. */
  entries: Map<string, Inode>;
  /** The directory of a lower tree that this one was copied from and stands over; null: it hides whatever is below. */
  origin: Inode | null;
  /** Of a directory: it is marked as hiding what is below, where a commit looks for it. */
  opaque: boolean;
  /** Extended attributes, values as bytes, one per character; null for none. */
  xattrs: ReadonlyMap<string, string> | null;
}

export type Attributes = Partial<Omit<Inode, "kind" | "owner">>;

/** A new file, of root's and with the usual mode unless told otherwise. */
export function inode(kind: FileKind, owner: object | null, given: Attributes = {}): Inode {
  return {
    kind,
    owner,
    mode: kind === "directory" ? 0o755 : kind === "symlink" ? 0o777 : 0o644,
    uid: 0,
    gid: 0,
    modified: 0n,
    links: 1,
    bytes: NOTHING,
    size: given.bytes?.length ?? 0,
    made: null,
    target: "",
    major: 0,
    minor: 0,
    entries: kind === "directory" ? new Map() : NO_ENTRIES,
    origin: null,
    opaque: false,
    xattrs: null,
    ...given,
  };
}

/** A copy that a tree may change. Bytes are shared, since they are never changed in place. */
export function copyOf(from: Inode, owner: object): Inode {
  const isDirectory = from.kind === "directory";
  return {
    ...from,
    owner,
    links: 1,
    bytes: from.bytes.subarray(0, from.size),
    entries: isDirectory ? new Map(from.entries) : NO_ENTRIES,
    origin: isDirectory ? from : null,
  };
}

export function contentOf({ made, bytes, size }: Inode): Uint8Array {
  return made ? made() : bytes.subarray(0, size);
}

/** Puts bytes behind a file's content. The room is taken twice over, so that many small pieces cost little. */
export function extend(file: Inode, more: Uint8Array): void {
  const size = file.size + more.length;
  if (size > file.bytes.length) {
    const grown = new Uint8Array(Math.max(size, file.size * 2, 256));
    grown.set(file.bytes.subarray(0, file.size));
    file.bytes = grown;
  }
  file.bytes.set(more, file.size);
  file.size = size;
}

/** Bytes that a file takes on the disk. */
export function spaceOf({ kind, size, target }: Inode): number {
  return kind === "file" ? size : kind === "symlink" ? lengthOf(target) : 0;
}

/** Bytes of a text in UTF-8. */
export function lengthOf(text: string): number {
  return isAscii(text) ? text.length : new TextEncoder().encode(text).length;
}

/** Bytes that a process reads from a device, all of them. Endless ones cannot be read so. */
export function readDevice({ major, minor }: Inode, path: string): Uint8Array {
  if (major === 1 && minor === NULL) return NOTHING;
  throw new FileError("EINVAL", path);
}

/** What becomes of bytes that are written to a device (null(4), full(4)). */
export function writeDevice({ major, minor }: Inode, path: string): void {
  if (major === 1 && minor === FULL) throw new FileError("ENOSPC", path);
  if (major !== 1) throw new FileError("EINVAL", path);
}

const NOTHING = new Uint8Array(0);
const NO_ENTRIES: Map<string, Inode> = new Map();
const NULL = 3;
const FULL = 7;
