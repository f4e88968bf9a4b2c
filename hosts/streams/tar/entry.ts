// The metadata of one file in a tar. Names, link targets and attribute values are bytes, one for each character (see
// `latin1.ts`), since a tar may contain any bytes.

export type EntryType = "file" | "link" | "symlink" | "character" | "block" | "directory" | "fifo";

export interface TarEntry {
  name: string;
  type: EntryType;
  /** Permissions, setuid, setgid and sticky bits, without the type. */
  mode: number;
  /** 32 bits; `SAME_OWNER` leaves the owner unchanged. */
  uid: number;
  gid: number;
  /** Size of a file's content; 0 for all other types. */
  size: number;
  /** Bytes of the file that the tar leaves out: zeros, which take no room if the disk supports holes. */
  holes: number;
  /** Nanoseconds since 1970. */
  mtime: bigint;
  /** For `link` and `symlink`; otherwise empty. */
  target: string;
  /** For `character` and `block`. */
  major: number;
  minor: number;
  /** Extended attributes (`SCHILY.xattr.` records), without the prefix. */
  xattrs: Map<string, string>;
}

/** The owner id that means "no change": a new file keeps its creator's (chown(2)). */
export const SAME_OWNER = 0xffff_ffff;

/** The entry's changes when a file gets an owner. */
export function ownerSet(uid: number, gid: number): { uid?: number; gid?: number } {
  return { ...(uid === SAME_OWNER ? {} : { uid }), ...(gid === SAME_OWNER ? {} : { gid }) };
}

/** Bytes of one block. */
export const BLOCK = 512;
