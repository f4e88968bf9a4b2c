// What the files of a tar would be if it were unpacked into an empty directory. Only plain tars have one: with files,
// directories and symbolic links, each under a name of its own. What any other tar becomes is decided by unpacking it.

import { baseOf, firstMember, followed, parentOf } from "../../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import { fileFailure } from "../files/file-failure.js";

/** A file or a directory. */
export interface Held {
  /** As it would be read from the disk again. */
  entry: TarEntry;
  /** Offset of a file's bytes in the tar. */
  at: number;
  /** By name; null for anything but a directory. */
  children: Map<string, Held> | null;
}

/** Names and paths are bytes, one for each character (see `tar/latin1.ts`). Paths are absolute. */
export class HeldTree {
  /** Time of the directories that no entry names. */
  readonly #made: bigint;
  readonly #root: Held;
  /** Entries and made directories, and the bytes of all names and targets: each costs memory until the tree goes. */
  #count = 0;
  #bytes = 0;

  constructor(made: bigint) {
    this.#made = made;
    this.#root = this.#directory();
  }

  /** False for an entry that would not simply be there under its name, or is too much. `name`: clean, below the root. */
  put(name: string, entry: TarEntry, at: number): boolean {
    if (!isPlain(name, entry)) return false;
    this.#bytes += name.length + entry.target.length;
    if (++this.#count > MOST_FILES || this.#bytes > MOST_BYTES) return false;
    const directory = this.#enter(parentOf(name));
    if (directory === null) return false;
    const there = directory.get(baseOf(name));
    if (there === undefined) {
      directory.set(baseOf(name), { entry: asRead(entry), at, children: childrenOf(entry) });
      return true;
    }
    if (there.children === null || entry.type !== "directory") return false;
    there.entry = asRead(entry);
    return true;
  }

  /** What is at a path; links are not followed. Throws `call` with ENOENT or ENOTDIR if there is nothing. */
  find(path: string): Held {
    let at = this.#root;
    for (const part of path.split("/")) {
      if (part === "") continue;
      if (at.children === null) throw fileFailure({ code: "ENOTDIR" }, "lstat", path);
      const next = at.children.get(part);
      if (next === undefined) throw fileFailure({ code: "ENOENT" }, "lstat", path);
      at = next;
    }
    return at;
  }

  /** Where a path leads after all links are followed. Parts that do not exist keep their names. */
  locate(path: string): string {
    return followed(path, (directory, name) => this.#linkAt(directory, name));
  }

  /** A path and everything below it, as `walk` would find it. `wants`: gets names below the path. */
  *below(path: string, wants: (name: string, isDirectory: boolean) => boolean): Generator<Held & { name: string }> {
    const top = this.find(path);
    const first = firstMember(path, top.children !== null);
    yield { ...top, name: first };
    const ahead = top.children === null ? [] : childrenBelow("", top.children);
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const [name, held] = next;
      if (!wants(name, held.children !== null)) continue;
      yield { ...held, name: `${first}${name}` };
      if (held.children !== null) for (const child of childrenBelow(`${name}/`, held.children)) ahead.push(child);
    }
  }

  #linkAt(directory: string, name: string): string | undefined {
    try {
      const { entry } = this.find(`${directory}/${name}`);
      return entry.type === "symlink" ? entry.target : undefined;
    } catch {
      return undefined;
    }
  }

  /** Makes what is missing. Null if something else is on the way, or if it is too much. */
  #enter(directory: string): Map<string, Held> | null {
    let { children } = this.#root;
    if (directory === "") return children;
    for (const part of directory.split("/")) {
      if (children === null) return null;
      let next: Held | undefined = children.get(part);
      if (next === undefined) {
        if (++this.#count > MOST_FILES) return null;
        children.set(part, (next = this.#directory()));
      }
      children = next.children;
    }
    return children;
  }

  #directory(): Held {
    const nothing = { size: 0, holes: 0, target: "", major: 0, minor: 0, xattrs: NO_ATTRIBUTES };
    const entry: TarEntry = { ...nothing, name: "", type: "directory", mode: 0o755, uid: 0, gid: 0, mtime: this.#made };
    return { entry: asRead(entry), at: 0, children: new Map() };
  }
}

/** The next one last. */
function childrenBelow(prefix: string, children: ReadonlyMap<string, Held>): [string, Held][] {
  const names = [...children.keys()].sort().reverse();
  return names.map((name) => [`${prefix}${name}`, children.get(name)!]);
}

function childrenOf({ type }: TarEntry): Map<string, Held> | null {
  return type === "directory" ? new Map() : null;
}

/** In a directory with the bit setgid, what is made takes over its group. */
function isPlain(name: string, { type, mode, uid, gid, holes, target, xattrs }: TarEntry): boolean {
  if (!PLAIN.has(type) || holes > 0 || xattrs.size > 0) return false;
  if (Math.max(uid, gid) >= NO_OWNER || (type === "directory" && (mode & SETGID) !== 0)) return false;
  if (type === "symlink" && (target === "" || target.length > LONGEST_TARGET)) return false;
  if (name.length > LONGEST_PATH || `${name}${target}`.includes("\0")) return false;
  const parts = name.split("/");
  return parts.length <= DEEPEST && parts.every((part) => part.length <= LONGEST_NAME);
}

/** With what is lost on the way to the disk and back. Docker's tars have whole seconds (see `pack`). */
function asRead({ type, mode, uid, gid, size, mtime, target }: TarEntry): TarEntry {
  return {
    name: "",
    type,
    mode: type === "symlink" ? 0o777 : mode & 0o7777,
    uid,
    gid,
    size: type === "file" ? size : 0,
    holes: 0,
    mtime: mtime - (((mtime % SECOND) + SECOND) % SECOND),
    target: type === "symlink" ? target : "",
    major: 0,
    minor: 0,
    xattrs: NO_ATTRIBUTES,
  };
}

const PLAIN: ReadonlySet<string> = new Set(["file", "directory", "symlink"]);
const NO_ATTRIBUTES = new Map<string, string>();
const SECOND = 1_000_000_000n;
const SETGID = 0o2000;
/** From here on, ids are none or mean "no change" (chown(2)). */
const NO_OWNER = 0xffff_ffff;
/** The kernel's limits (path_resolution(7)). */
const LONGEST_NAME = 255;
const LONGEST_TARGET = 4095;
export const LONGEST_PATH = 4095;
/** Each look at a file begins at the root. */
const DEEPEST = 256;
/** A tree takes some 500 bytes for each, and the bytes of its names. */
const MOST_FILES = 100_000;
const MOST_BYTES = 16 << 20;
