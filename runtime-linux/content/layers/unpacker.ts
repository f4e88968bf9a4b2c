// Unpacks a layer's tar into a directory as overlayfs wants it: whiteouts become character devices 0:0 and extended
// attributes (OCI image spec, layer.md; Linux overlayfs.rst). It never touches anything outside that directory.

import * as fs from "node:fs";
import { faultyName, isMissing } from "../../../hosts/shared/index.js";
import type { content } from "../../../hosts/shared/index.js";
import { S_IFBLK, S_IFCHR, S_IFIFO, type Device, type Kernel } from "../../kernel.js";
import { FileBodies, named } from "../bodies.js";
import { copyAttributes, copyFile } from "../files/copy.js";
import { Confined } from "../files/confined.js";
import {
  META,
  OPAQUE,
  WHITEOUT,
  baseOf,
  cleanName,
  parentOf,
  refuseInPlace,
  textOf,
  limitsOf,
} from "../../../hosts/streams/tar/index.js";
import type { PlacingSink, TarEntry, TarLimits } from "../../../hosts/streams/tar/index.js";
import { changeOwner, setAttributes } from "../files/set-attributes.js";
import { SpentFiles } from "./spent-files.js";

/** A hard link to a file that is not in this layer. */
export interface LowerLink {
  /** Where the link will be, resolved. */
  name: string;
  /** Where the file is in the lower layers, and will be in this one: the tar's name, not resolved. */
  target: string;
  entry: TarEntry;
}

export class Unpacker implements PlacingSink<string> {
  readonly limits: TarLimits;
  /** To be made once the lower layers are there: see `linkToLower`. */
  readonly lowerLinks: LowerLink[] = [];
  /** Size of all files so far, in bytes. */
  size = 0;
  /** The resolved name of the newest entry's file. */
  place: string | null = null;
  /** The tar removed something of its own again, so some bodies are missing. */
  replaced = false;

  readonly #tree: Confined;
  readonly #kernel: Kernel;
  /** Whether there are lower layers. Without them there is nothing to hide. */
  readonly #hasLower: boolean;
  /** Whiteouts that this layer made, by name. */
  readonly #whiteouts = new Set<string>();
  /** Directories' times, set at the end, since they change with every file that is put in. */
  readonly #directories = new Map<string, bigint>();
  /** All names of this layer, and some that were removed again. Any other name is certainly free. */
  readonly #names = new Set<string>();
  /** Names whose whiteout was replaced by something of this layer. If that is a directory, it hides what is below. */
  readonly #hidden = new Set<string>();
  readonly #bodies: FileBodies;
  readonly #spent: SpentFiles | null;

  constructor(root: string, kernel: Kernel, { parent, limits }: content.Layer, spent: string | null = null) {
    this.#tree = new Confined(root);
    this.#kernel = kernel;
    this.#spent = spent === null ? null : new SpentFiles(spent, kernel);
    this.#hasLower = parent !== undefined;
    this.limits = limitsOf(limits);
    this.#bodies = new FileBodies((path, file) => {
      this.size += file.size;
      this.#finish(path, file);
    });
  }

  entry(entry: TarEntry): void {
    this.place = null;
    const name = cleanName(entry.name);
    if (name === "") {
      refuseInPlace(entry);
      if (entry.type === "directory") this.#finishDirectory("", entry);
      return;
    }
    try {
      if (baseOf(name).startsWith(WHITEOUT)) return this.#whiteout(name, baseOf(name), entry);
      this.#make(this.#place(name), entry);
    } catch (error) {
      throw named(error, { name });
    }
  }

  data(piece: Uint8Array): Promise<void> | void {
    return this.#bodies.data(piece);
  }

  hole(size: number): void {
    this.#bodies.hole(size);
  }

  end(): void {
    this.#bodies.end();
  }

  /** Call this after the last entry. Sets directories' times, the deepest first. */
  finish(): void {
    for (const [name, mtime] of [...this.#directories].reverse()) {
      this.#kernel.lutimens(this.#tree.path(name), mtime, mtime);
    }
  }

  /** Makes one of `lowerLinks`. `find` returns where a name is in the lower layers, without following links. */
  linkToLower({ name, target, entry }: LowerLink, find: (name: string) => Buffer | undefined): void {
    const source = find(target);
    const made: string[] = [];
    if (!source || this.#place(target, made) !== target) {
      throw faultyName("hard-link-to-nothing", textOf(name), textOf(target));
    }
    for (const directory of made) {
      const below = find(directory);
      if (below) copyAttributes(below, this.#tree.path(directory), this.#kernel);
    }
    this.#clear(name);
    // A file that this layer hides stays hidden: then the link is its only name.
    const copy = this.#tree.path(this.#whiteouts.has(target) ? name : target);
    if (this.#whiteouts.has(target) || !this.#tree.stat(target)) {
      copyFile(source, copy, this.#kernel);
      this.size += fs.lstatSync(copy).size;
    }
    if (!this.#whiteouts.has(target)) fs.linkSync(copy, this.#tree.path(name));
    this.#linked(this.#tree.path(name), entry, fs.lstatSync(copy, { bigint: true }));
  }

  /** Drops an unfinished file. */
  abandon(): void {
    this.#bodies.abandon();
  }

  /** The resolved name: makes its parents, and follows every link among them. */
  #place(name: string, made: string[] = []): string {
    const parent = this.#tree.directory(parentOf(name), {
      make: true,
      clear: (at) => this.#clearWhiteout(at),
      made: (at) => {
        this.#names.add(at);
        this.#uncover(at);
        made.push(at);
      },
    });
    return parent === "" ? baseOf(name) : `${parent}/${baseOf(name)}`;
  }

  #make(name: string, entry: TarEntry): void {
    if (entry.type === "link") return this.#link(name, entry);
    if (entry.type === "directory" && this.#names.has(name) && this.#tree.stat(name)?.isDirectory()) {
      return this.#finishDirectory(name, entry);
    }
    this.#clear(name);
    this.#names.add(name);
    return this.#create(name, entry, this.#tree.path(name));
  }

  /** Creates the entry at a free path. */
  #create(name: string, entry: TarEntry, path: Buffer): void {
    switch (entry.type) {
      case "file":
        return this.#createFile(name, entry, path);
      case "directory":
        fs.mkdirSync(path, 0o700);
        this.#uncover(name);
        return this.#finishDirectory(name, entry);
      case "symlink":
        fs.symlinkSync(Buffer.from(entry.target, "latin1"), path);
        this.size += entry.target.length;
        break;
      case "character":
      case "block":
      case "fifo":
        this.#kernel.mknod(path, TYPE_BITS[entry.type] | 0o600, deviceOf(entry));
    }
    fs.lchownSync(path, entry.uid, entry.gid);
    if (entry.type !== "symlink") fs.chmodSync(path, entry.mode);
    this.#finish(path, entry);
  }

  #createFile(name: string, entry: TarEntry, path: Buffer): void {
    this.place = name;
    const moved = this.#spent?.move(name, entry, path) ?? false;
    if (moved === false) return this.#bodies.begin(name, path, entry);
    this.size += entry.size;
    // Each of many calls counts, and most files have all of this.
    if (!moved.isFresh || entry.xattrs.size > 0) this.#finish(path, entry);
  }

  /** Runs after owner and mode are set, because both clear some attributes. */
  #finish(path: Buffer, { xattrs, mtime }: TarEntry): void {
    if (xattrs.size > 0) setAttributes(path, xattrs, this.#kernel);
    this.#kernel.lutimens(path, mtime, mtime);
  }

  #finishDirectory(name: string, entry: TarEntry): void {
    const path = this.#tree.path(name);
    fs.lchownSync(path, entry.uid, entry.gid);
    fs.chmodSync(path, entry.mode);
    setAttributes(path, entry.xattrs, this.#kernel);
    this.#directories.delete(name);
    this.#directories.set(name, entry.mtime);
  }

  #link(name: string, entry: TarEntry): void {
    const target = cleanName(entry.target);
    if (target === "") throw faultyName("hard-link-to-directory", textOf(name));
    const here = this.#find(target);
    if (here?.name === name) return;
    if (here === undefined) {
      this.lowerLinks.push({ name, target, entry });
      return;
    }
    if (here.stat.isDirectory()) throw faultyName("hard-link-to-directory", textOf(name));
    this.#clear(name);
    this.#names.add(name);
    const path = this.#tree.path(name);
    fs.linkSync(this.#tree.path(here.name), path);
    this.#linked(path, entry, here.stat);
  }

  /**
   * The last name that a file has in this layer decides its owner, mode and time; for a symbolic link only the owner.
   * `there`: what the file has. Mostly the tar says the same, and an image may have hundreds of links.
   */
  #linked(path: Buffer, entry: TarEntry, there: fs.BigIntStats): void {
    const isOther = changeOwner(path, entry, there);
    if (there.isSymbolicLink()) return;
    // A change of owner may clear bits of the mode.
    if (isOther || (there.mode & MODE_BITS) !== BigInt(entry.mode)) fs.chmodSync(path, entry.mode);
    const hasTimes = there.atimeNs === entry.mtime && there.mtimeNs === entry.mtime;
    if (!hasTimes || entry.xattrs.size > 0) this.#finish(path, entry);
  }

  /** What this layer has under a name of the image, with links on the way followed; undefined if it has nothing. */
  #find(name: string): { name: string; stat: fs.BigIntStats } | undefined {
    try {
      const found = this.#tree.resolve(name);
      const stat = fs.lstatSync(this.#tree.path(found), { bigint: true, throwIfNoEntry: false });
      return stat && !this.#whiteouts.has(found) ? { name: found, stat } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #whiteout(name: string, base: string, entry: TarEntry): void {
    if (base === OPAQUE) return this.#opaque(this.#tree.directory(parentOf(this.#place(name))));
    if (base.startsWith(META)) return;
    const hides = base.slice(WHITEOUT.length);
    if (hides === "" || hides === "." || hides === "..") throw faultyName("whiteout", textOf(name));
    const place = this.#place(name);
    const target = parentOf(place) === "" ? hides : `${parentOf(place)}/${hides}`;
    // A whiteout hides what lower layers have, not what this one has.
    const stat = this.#tree.stat(target);
    if (stat?.isDirectory()) return this.#opaque(target);
    if (stat || !this.#hasLower) return;
    const path = this.#tree.path(target);
    this.#kernel.mknod(path, S_IFCHR, { major: 0, minor: 0 });
    fs.lchownSync(path, entry.uid, entry.gid);
    this.#whiteouts.add(target);
    this.#names.add(target);
  }

  #opaque(name: string): void {
    if (this.#hasLower) this.#kernel.lsetxattr(this.#tree.path(name), "trusted.overlay.opaque", YES);
  }

  /** A directory replaces a whiteout: what the whiteout hid stays hidden. */
  #uncover(name: string): void {
    if (this.#hidden.delete(name)) this.#opaque(name);
  }

  #clearWhiteout(name: string): boolean {
    if (!this.#whiteouts.delete(name)) return false;
    fs.unlinkSync(this.#tree.path(name));
    this.#hidden.add(name);
    return true;
  }

  /** Removes whatever has a name, so that something else can take it. */
  #clear(name: string): void {
    const stat = this.#names.has(name) ? this.#tree.stat(name) : undefined;
    if (!stat) return;
    this.replaced ||= stat.isFile() || stat.isDirectory();
    if (stat.isDirectory()) {
      this.#tree.forget(name);
      for (const known of this.#directories.keys()) {
        if (known === name || known.startsWith(`${name}/`)) this.#directories.delete(known);
      }
    } else if (stat.isFile() && stat.nlink === 1) {
      this.size -= stat.size;
    }
    if (this.#whiteouts.delete(name)) this.#hidden.add(name);
    fs.rmSync(this.#tree.path(name), { recursive: true });
  }
}

function deviceOf({ type, major, minor }: TarEntry): Device {
  return type === "fifo" ? { major: 0, minor: 0 } : { major, minor };
}

/** All of st_mode but the type (inode(7)). */
const MODE_BITS = 0o7777n;
const YES = Buffer.from("y");
const TYPE_BITS = { character: S_IFCHR, block: S_IFBLK, fifo: S_IFIFO } as const;
