// What a tar says of one file. Names, link targets and attribute values are bytes, one per character (see `latin1.ts`),
// since a tar may hold any.

export type EntryType = "file" | "link" | "symlink" | "character" | "block" | "directory" | "fifo";

export interface TarEntry {
  name: string;
  type: EntryType;
  /** Permissions, setuid, setgid and sticky bits; nothing of the type. */
  mode: number;
  /** 32 bits; `SAME_OWNER` leaves what is. */
  uid: number;
  gid: number;
  /** Bytes of the file; 0 for all but files. */
  size: number;
  /** Bytes of the file that the tar leaves out: zeros, which take no room where the disk can do that. */
  holes: number;
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

/** The number of an owner that stands for no change: a new file keeps its maker (chown(2)). */
export const SAME_OWNER = 0xffff_ffff;

/** What changes when a file is given an owner. */
export function ownerSet(uid: number, gid: number): { uid?: number; gid?: number } {
  return { ...(uid === SAME_OWNER ? {} : { uid }), ...(gid === SAME_OWNER ? {} : { gid }) };
}

/** Bytes of one block. */
export const BLOCK = 512;
