// One file of a tree in memory: what a name refers to.

import { isAscii } from "../../streams/tar/index.js";
import { FileError, type FileKind } from "./file-system.js";

export interface Inode {
  kind: FileKind;
  /** The tree that may change it; null if it is shared and nobody may. */
  owner: object | null;
  /** Permission bits, setuid, setgid and sticky bit. */
  mode: number;
  uid: number;
  gid: number;
  /** Nanoseconds since 1970. */
  modified: bigint;
  /** Number of names (hard links). */
  links: number;
  /** Content of a file. Never changed in place below `size` bytes, because `read` returns this array. */
  bytes: Uint8Array;
  /** Size of the content in bytes. The array may have spare room at its end. */
  size: number;
  /** Makes the content when it is read, instead of `bytes`. */
  made: (() => Uint8Array) | null;
  /** For a symlink. */
  target: string;
  /** For a device. */
  major: number;
  minor: number;
  /** For a directory; otherwise empty. */
  entries: Map<string, Inode>;
  /** The directory of a lower tree that this one was copied from and covers; null if it hides whatever is below. */
  origin: Inode | null;
  /** For a directory: marked as hiding what is below. A commit reads this. */
  opaque: boolean;
  /** Extended attributes, values as bytes, one per character; null if there are none. */
  xattrs: ReadonlyMap<string, string> | null;
}

export type Attributes = Partial<Omit<Inode, "kind" | "owner">>;

/** A new file. It belongs to root and has the usual mode unless given otherwise. */
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

/** A copy that a tree may change. The bytes are shared, because they are never changed in place. */
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

/** Appends bytes to a file's content. The buffer doubles when it grows, so that many small writes stay cheap. */
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

/** Length of a text in UTF-8, in bytes. */
export function lengthOf(text: string): number {
  return isAscii(text) ? text.length : new TextEncoder().encode(text).length;
}

/** All bytes that a process reads from a device. Endless devices cannot be read this way. */
export function readDevice({ major, minor }: Inode, path: string): Uint8Array {
  if (major === 1 && minor === NULL) return NOTHING;
  throw new FileError("EINVAL", path);
}

/** Handles a write to a device (null(4), full(4)). */
export function writeDevice({ major, minor }: Inode, path: string): void {
  if (major === 1 && minor === FULL) throw new FileError("ENOSPC", path);
  if (major !== 1) throw new FileError("EINVAL", path);
}

const NOTHING = new Uint8Array(0);
const NO_ENTRIES: Map<string, Inode> = new Map();
const NULL = 3;
const FULL = 7;
