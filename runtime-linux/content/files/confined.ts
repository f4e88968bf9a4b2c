// Resolves names within an untrusted directory tree: no name and no symbolic link leads out of it. Nobody else may
// change the tree meanwhile. Names are bytes, one for each character (see `tar/latin1.ts`).

import { chmodSync, lstatSync, mkdirSync, readlinkSync, type Stats } from "node:fs";
import { faultyName, noSuch } from "../../../hosts/shared/index.js";
import { bytesOf, parentOf, textOf } from "../../../hosts/streams/tar/index.js";

export interface Resolution {
  /** Makes missing directories. */
  make?: boolean;
  /** Also follows a link in the last component. */
  follow?: boolean;
  /**
   * Called with the name of something that is not a directory but has a directory's place. Returns true if it has
   * removed it.
   */
  clear?: (name: string) => boolean;
  /** Called for each directory that was made. */
  made?: (name: string) => void;
}

/** A directory tree. */
export class Confined {
  /** Names that are known to be directories, not links to directories. */
  readonly #verified = new Set<string>([""]);
  readonly #root: string;

  constructor(readonly root: string) {
    this.#root = bytesOf(root);
  }

  /** The path on disk of a name that is already resolved. */
  path(name: string): Buffer {
    return Buffer.from(name === "" ? this.#root : `${this.#root}/${name}`, "latin1");
  }

  /** Undefined if nothing is there. Does not follow links. */
  stat(name: string): Stats | undefined {
    return lstatSync(this.path(name), { throwIfNoEntry: false });
  }

  /**
   * The name of a directory after its links are followed, all within the root. Throws `no-such`, or `faulty-name` if a
   * component on the way is not a directory.
   */
  directory(name: string, how: Resolution = {}): string {
    if (this.#verified.has(name)) return name;
    const found = this.resolve(name, { ...how, follow: true });
    if (this.#verified.has(found)) return found;
    this.#pass(name, found, this.stat(found), how);
    return found;
  }

  /** The name where something is, or would be, after links on the way are followed, all within the root. */
  resolve(name: string, how: Resolution = {}): string {
    const ahead = name.split("/").reverse();
    let at = "";
    for (let links = 0; ahead.length > 0;) {
      const part = ahead.pop();
      if (part === undefined || part === "" || part === ".") continue;
      if (part === "..") {
        // The parent of the root is the root, as in a container.
        at = parentOf(at);
        continue;
      }
      const next = at === "" ? part : `${at}/${part}`;
      const last = ahead.every((rest) => rest === "" || rest === ".");
      if (this.#verified.has(next) || (last && !how.follow)) {
        at = next;
        continue;
      }
      const stat = this.stat(next);
      if (stat?.isSymbolicLink()) {
        if (++links > MOST_LINKS) throw faultyName("too-many-links", textOf(name));
        const target = readlinkSync(this.path(next), "latin1");
        if (target.startsWith("/")) at = "";
        ahead.push(...target.split("/").reverse());
        continue;
      }
      if (!last) this.#pass(name, next, stat, how);
      at = next;
    }
    return at;
  }

  /** Call this when something replaces a directory. */
  forget(name: string): void {
    for (const known of this.#verified)
      if (known === name || known.startsWith(`${name}/`)) this.#verified.delete(known);
  }

  /** Continues through `at`, which must be a directory or become one. */
  #pass(name: string, at: string, stat: Stats | undefined, how: Resolution): void {
    const there = stat && (stat.isDirectory() || !how.clear?.(at));
    if (there && !stat.isDirectory()) throw faultyName("through-other", textOf(name), textOf(at));
    if (!there) {
      if (!how.make) throw noSuch("member", textOf(name));
      mkdirSync(this.path(at));
      chmodSync(this.path(at), 0o755);
      how.made?.(at);
    }
    this.#verified.add(at);
  }
}

/** The kernel's limit (path_resolution(7)). */
const MOST_LINKS = 40;
