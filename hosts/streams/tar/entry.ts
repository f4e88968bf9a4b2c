// What a tar says of one file. Names, link targets and attribute values are bytes, one per character (see `latin1.ts`),
// since a tar may hold any.

export type EntryType = "file" | "link" | "symlink" | "character" | "block" | "directory" | "fifo";

export interface TarEntry {
  name: string;
  type: EntryType;
  /** Permissions, setuid, setgid and sticky bits; nothing of the type. */
  mode: number;
  uid: number;
  gid: number;
  /** Bytes of the body; 0 for all but files. */
  size: number;
  /** Nanoseconds since 1970. */
  mtime: bigint;
  /** Of `link` and `symlink`; or empty. */
  target: string;
  /** Of `character` and `block`. */
  major: number;
  minor: number;
  /** Extended attributes (`SCHILY.xattr.` records), without the prefix. */
  xattrs: Map<string, string>;
}

/** Bytes of one block. */
export const BLOCK = 512;
