// Puts a layer's tar into a directory as overlayfs wants it: whiteouts become character devices 0:0 and extended
// attributes (OCI image spec, layer.md; Linux overlayfs.rst). Nothing it does reaches outside of that directory.
//
// Calls to the file system are synchronous, being short: a layer has thousands of small files, and a turn of the event
// loop costs more than a call. Large pieces are written beside it, so that a slow disk holds up nobody else.

import * as fs from "node:fs";
import { HostFailure } from "../../hosts/failure.js";
import { S_IFBLK, S_IFCHR, S_IFIFO, type Device, type Kernel } from "../kernel.js";
import { copyAttributes, copyFile } from "./copy.js";
import { baseOf, cleanName, Confined, leaves, parentOf } from "./confined.js";
import { textOf, type TarEntry } from "./tar/entry.js";
import type { TarSink } from "./tar/reader.js";

/** A hard link to a file that this layer does not have. */
export interface LowerLink {
  /** Where the link is to be, resolved. */
  name: string;
  /** Where the file is in the layers below, and will be in this one: as the tar says, not resolved. */
  target: string;
}

export class Unpacker implements TarSink {
  /** To be made once the layers below are there: see `linkToLower`. */
  readonly lowerLinks: LowerLink[] = [];
  /** Bytes of all files so far. */
  size = 0;

  readonly #tree: Confined;
  readonly #kernel: Kernel;
  /** Whether anything is below: without it there is nothing to hide. */
  readonly #hasLower: boolean;
  /** Whiteouts that this layer made, by name. */
  readonly #whiteouts = new Set<string>();
  /** Directories' entries; their times change with whatever is put into them. */
  readonly #directories = new Map<string, bigint>();
  #file: { fd: number; entry: TarEntry; name: string; at: number } | null = null;

  constructor(root: string, kernel: Kernel, hasLower: boolean) {
    this.#tree = new Confined(root);
    this.#kernel = kernel;
    this.#hasLower = hasLower;
  }

  entry(entry: TarEntry): void {
    const name = cleanName(entry.name);
    if (name === "") {
      // The root itself.
      if (entry.type === "directory") this.#finishDirectory("", entry);
      return;
    }
    const base = baseOf(name);
    if (base.startsWith(WHITEOUT)) return this.#whiteout(name, base, entry);
    this.#make(this.#place(name), entry);
  }

  data(piece: Buffer): Promise<void> | void {
    const file = this.#file;
    if (!file) return;
    const at = file.at;
    file.at += piece.length;
    if (piece.length > LARGE) return write(file.fd, piece, at).catch((error) => this.#fail(error, file.name));
    try {
      writeFully(file.fd, piece, at);
    } catch (error) {
      this.#fail(error, file.name);
    }
  }

  end(): void {
    const file = this.#file;
    if (!file) return;
    this.#file = null;
    try {
      fs.fchownSync(file.fd, file.entry.uid, file.entry.gid);
      fs.fchmodSync(file.fd, file.entry.mode);
    } finally {
      fs.closeSync(file.fd);
    }
    this.size += file.entry.size;
    this.#attributes(file.name, file.entry);
    this.#times(file.name, file.entry.mtime);
  }

  /** After the last entry: directories get their times, the deepest first. */
  finish(): void {
    for (const [name, mtime] of [...this.#directories].reverse()) this.#times(name, mtime);
  }

  /** Makes one of `lowerLinks`: `find` tells where in the layers below a name is, without following links. */
  linkToLower({ name, target }: LowerLink, find: (name: string) => Buffer | undefined): void {
    const source = find(target);
    const made: string[] = [];
    if (!source || this.#place(target, made) !== target) {
      throw new HostFailure("invalid", `hard link "${textOf(name)}" to "${textOf(target)}", which does not exist`);
    }
    for (const directory of made) {
      const below = find(directory);
      if (below) copyAttributes(below, this.#tree.path(directory), this.#kernel);
    }
    this.#remove(name);
    // What this layer hides is not brought back: the link is all that is left of it.
    const copy = this.#tree.path(this.#whiteouts.has(target) ? name : target);
    if (this.#whiteouts.has(target) || !this.#tree.stat(target)) {
      copyFile(source, copy, this.#kernel);
      this.size += fs.lstatSync(copy).size;
    }
    if (!this.#whiteouts.has(target)) fs.linkSync(copy, this.#tree.path(name));
  }

  /** Lets go of a file that was not finished. */
  abandon(): void {
    if (this.#file) fs.closeSync(this.#file.fd);
    this.#file = null;
  }

  /** The name, with its parents made and every link among them followed. */
  #place(name: string, made: string[] = []): string {
    const parent = this.#tree.directory(parentOf(name), {
      above: "refuse",
      make: true,
      clear: (at) => this.#clearWhiteout(at),
      made: (at) => {
        this.#uncover(at);
        made.push(at);
      },
    });
    return parent === "" ? baseOf(name) : `${parent}/${baseOf(name)}`;
  }

  #make(name: string, entry: TarEntry): void {
    try {
      this.#create(name, entry);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") this.#fail(error, name);
      if (entry.type === "directory" && this.#tree.stat(name)?.isDirectory()) return this.#finishDirectory(name, entry);
      try {
        const hidden = this.#whiteouts.has(name);
        this.#remove(name);
        if (hidden) this.#hidden.add(name);
        this.#create(name, entry);
      } catch (again) {
        this.#fail(again, name);
      }
    }
  }

  /** Names whose whiteout gave way to something made in this layer: if that is a directory it hides what is below. */
  readonly #hidden = new Set<string>();

  /** Never takes something existing for its own: EEXIST. */
  #create(name: string, entry: TarEntry): void {
    const path = this.#tree.path(name);
    switch (entry.type) {
      case "file":
        this.#file = { fd: fs.openSync(path, NEW_FILE, 0o600), entry, name, at: 0 };
        return;
      case "directory":
        fs.mkdirSync(path, 0o700);
        this.#uncover(name);
        return this.#finishDirectory(name, entry);
      case "link":
        return this.#link(name, entry);
      case "symlink":
        fs.symlinkSync(Buffer.from(entry.target, "latin1"), path);
        fs.lchownSync(path, entry.uid, entry.gid);
        break;
      default:
        this.#kernel.mknod(path, TYPE_BITS[entry.type] | 0o600, deviceOf(entry));
        fs.lchownSync(path, entry.uid, entry.gid);
        fs.chmodSync(path, entry.mode);
    }
    this.#attributes(name, entry);
    this.#times(name, entry.mtime);
  }

  #finishDirectory(name: string, entry: TarEntry): void {
    const path = this.#tree.path(name);
    fs.lchownSync(path, entry.uid, entry.gid);
    fs.chmodSync(path, entry.mode);
    this.#attributes(name, entry);
    this.#directories.delete(name);
    this.#directories.set(name, entry.mtime);
  }

  #link(name: string, entry: TarEntry): void {
    const target = cleanName(entry.target);
    if (target === "") throw leaves(entry.target);
    const here = this.#find(target);
    if (here === name) return;
    if (here === undefined) {
      this.lowerLinks.push({ name, target });
      return;
    }
    if (this.#tree.stat(here)?.isDirectory()) {
      throw new HostFailure("invalid", `hard link "${textOf(name)}" to a directory`);
    }
    fs.linkSync(this.#tree.path(here), this.#tree.path(name));
  }

  /** What this layer has under a name of the image, links on the way followed; undefined when it has nothing. */
  #find(name: string): string | undefined {
    try {
      const found = this.#tree.resolve(name, { above: "refuse" });
      return this.#tree.stat(found) && !this.#whiteouts.has(found) ? found : undefined;
    } catch (error) {
      if (error instanceof HostFailure && error.failure.kind === "not-found") return undefined;
      throw error;
    }
  }

  #whiteout(name: string, base: string, entry: TarEntry): void {
    if (base === OPAQUE) return this.#opaque(this.#tree.directory(parentOf(this.#place(name)), { above: "refuse" }));
    if (base.startsWith(META)) return;
    const hides = base.slice(WHITEOUT.length);
    if (hides === "" || hides === "." || hides === "..") {
      throw new HostFailure("invalid", `invalid whiteout "${textOf(name)}"`);
    }
    const place = this.#place(name);
    const target = parentOf(place) === "" ? hides : `${parentOf(place)}/${hides}`;
    // It hides what lower layers have, not what this one has.
    const stat = this.#tree.stat(target);
    if (stat?.isDirectory()) return this.#opaque(target);
    if (stat || !this.#hasLower) return;
    const path = this.#tree.path(target);
    this.#kernel.mknod(path, S_IFCHR, { major: 0, minor: 0 });
    fs.lchownSync(path, entry.uid, entry.gid);
    this.#whiteouts.add(target);
  }

  #opaque(name: string): void {
    if (this.#hasLower) this.#kernel.lsetxattr(this.#tree.path(name), "trusted.overlay.opaque", YES);
  }

  /** A directory in the place of a whiteout: what the whiteout hid stays hidden. */
  #uncover(name: string): void {
    if (this.#hidden.delete(name)) this.#opaque(name);
  }

  #clearWhiteout(name: string): boolean {
    if (!this.#whiteouts.delete(name)) return false;
    fs.unlinkSync(this.#tree.path(name));
    this.#hidden.add(name);
    return true;
  }

  #remove(name: string): void {
    const stat = this.#tree.stat(name);
    if (!stat) return;
    if (stat.isDirectory()) {
      this.#tree.forget(name);
      for (const known of this.#directories.keys()) {
        if (known === name || known.startsWith(`${name}/`)) this.#directories.delete(known);
      }
    } else if (stat.isFile() && stat.nlink === 1) {
      this.size -= stat.size;
    }
    this.#whiteouts.delete(name);
    fs.rmSync(this.#tree.path(name), { recursive: true });
  }

  /** Attributes of overlayfs belong to the host, not to images; those that the file system refuses are left out. */
  #attributes(name: string, { xattrs }: TarEntry): void {
    for (const [key, value] of xattrs) {
      if (/^(trusted|user)\.overlay\./.test(key)) continue;
      try {
        this.#kernel.lsetxattr(this.#tree.path(name), textOf(key), Buffer.from(value, "latin1"));
      } catch (error) {
        if (!REFUSED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
    }
  }

  #times(name: string, mtime: bigint): void {
    this.#kernel.lutimens(this.#tree.path(name), mtime, mtime);
  }

  #fail(error: unknown, name: string): never {
    if (error instanceof HostFailure || !(error instanceof Error)) throw error;
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") {
      throw new HostFailure(
        "exhausted",
        `write /${textOf(name)}: ${code === "ENOSPC" ? "no space left on device" : "disk quota exceeded"}`,
      );
    }
    throw error;
  }
}

function deviceOf({ type, major, minor }: TarEntry): Device {
  return type === "fifo" ? { major: 0, minor: 0 } : { major, minor };
}

function writeFully(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done);
}

async function write(fd: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, done, bytes.length - done, at + done, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
  }
}

const WHITEOUT = ".wh.";
const META = ".wh..wh.";
const OPAQUE = ".wh..wh..opq";
const YES = Buffer.from("y");
/** Bytes of a piece that is written off the main thread. */
const LARGE = 128 << 10;
const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
const TYPE_BITS = { character: S_IFCHR, block: S_IFBLK, fifo: S_IFIFO } as const;
/** What a file system says of an attribute that it does not keep. */
const REFUSED = new Set(["ENOTSUP", "EOPNOTSUPP", "EPERM", "EINVAL"]);
