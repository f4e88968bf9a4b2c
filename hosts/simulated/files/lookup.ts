// Resolves paths through mounted trees, without leaving their root: a small path_resolution(7).

import { FileError } from "./file-system.js";
import type { Inode } from "./inode.js";
import type { Tree } from "./tree.js";

/** A tree, or one file of a tree, that is mounted at a path. */
export interface Mount {
  tree: Tree;
  /** The mounted directory or file, owned by the tree. */
  root: Inode;
  readOnly: boolean;
  /** Its source in /proc/mounts. */
  source: string;
  type: string;
  options: string;
}

/** Mounts by their paths, without symlinks; the root is `/`. */
export type MountTable = ReadonlyMap<string, Mount>;

/** A file at the place where it was found. */
export interface Place {
  mount: Mount;
  inode: Inode;
  /** Null for the root. */
  parent: Place | null;
  name: string;
  /** Absolute path, without symlinks. */
  path: string;
}

/** The user whose permissions apply; null for root, who may do everything. */
export interface Identity {
  uid: number;
  /** All groups of the user. */
  groups: readonly number[];
}

/** What a path leads to, or would lead to. */
export interface Found {
  place: Place | null;
  /** The directory that contains it; for the root, the root. */
  parent: Place;
  /** Its name there; empty for the root. */
  name: string;
}

/** Follows a path. Throws if a directory on the way is missing; the last part may be missing. */
export function lookup(mounts: MountTable, path: string, follow: boolean, identity: Identity | null): Found {
  if (path === "") throw new FileError("ENOENT", path);
  if (path.includes("\0")) throw new FileError("EINVAL", path);
  if (isLonger(path, LONGEST_PATH)) throw new FileError("ENAMETOOLONG", path);
  const root = rootOf(mounts);
  const longest = longestMount(mounts);
  let at = root;
  const ahead = path.split("/").reverse();
  const wantsDirectory = /(^|\/)\.?$/.test(path);
  for (let links = 0; ahead.length > 0;) {
    const part = ahead.pop();
    if (part === undefined || part === "" || part === ".") continue;
    requireDirectory(at, path);
    if (!allows(at.inode, 1, identity)) throw new FileError("EACCES", path);
    if (part === "..") {
      at = at.parent ?? root;
      continue;
    }
    const isLast = ahead.every((rest) => rest === "" || rest === ".");
    if (isLonger(part, LONGEST_NAME)) throw new FileError("ENAMETOOLONG", path);
    const next = step(mounts, at, part, longest);
    if (next === null) {
      if (isLast) return { place: null, parent: at, name: part };
      throw new FileError("ENOENT", path);
    }
    if (next.inode.kind !== "symlink" || (isLast && !follow && !wantsDirectory)) {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new FileError("ELOOP", path);
    const { target } = next.inode;
    if (target.startsWith("/")) at = root;
    ahead.push(...target.split("/").reverse());
  }
  if (wantsDirectory) requireDirectory(at, path);
  return { place: at, parent: at.parent ?? at, name: at.name };
}

/** Whether the user has a permission: 4 to read, 2 to write, 1 to execute or search. */
export function allows({ mode, uid, gid }: Inode, right: number, identity: Identity | null): boolean {
  if (identity === null || identity.uid === 0) return true;
  const shift = identity.uid === uid ? 6 : identity.groups.includes(gid) ? 3 : 0;
  return ((mode >> shift) & right) === right;
}

function rootOf(mounts: MountTable): Place {
  const mount = mounts.get("/");
  if (!mount) throw new FileError("ENOENT", "/");
  return { mount, inode: mount.root, parent: null, name: "", path: "/" };
}

/**
 * `longest`: a map lookup takes time with the length of the path, which is much for one below hundreds of directories.
 * Longer paths skip it.
 */
function step(mounts: MountTable, at: Place, name: string, longest: number): Place | null {
  const path = at.parent === null ? `/${name}` : `${at.path}/${name}`;
  const mount = path.length > longest ? undefined : mounts.get(path);
  if (mount) return { mount, inode: mount.root, parent: at, name, path };
  const inode = at.inode.entries.get(name);
  return inode ? { mount: at.mount, inode, parent: at, name, path } : null;
}

/** Length in characters of the longest path at which something is mounted. */
function longestMount(mounts: MountTable): number {
  let longest = 0;
  for (const path of mounts.keys()) longest = Math.max(longest, path.length);
  return longest;
}

/** Whether a text is longer than this many bytes. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * MOST_BYTES > bytes && encoder.encode(text).length > bytes;
}

const encoder = new TextEncoder();
/** UTF-8 bytes that one character (UTF-16 unit) takes at most. */
const MOST_BYTES = 3;
/** NAME_MAX, and PATH_MAX without the NUL (limits.h). */
const LONGEST_NAME = 255;
const LONGEST_PATH = 4095;

function requireDirectory(at: Place, path: string): void {
  if (at.inode.kind !== "directory") throw new FileError("ENOTDIR", path);
}

/** The kernel follows this many links. */
const MOST_LINKS = 40;
