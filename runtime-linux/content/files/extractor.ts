// Unpacks a tar into a directory of a container, which may be running (surface §2.13). The kernel looks up every name
// from the container's root. Every change then goes through the directory's descriptor and affects the name itself.

import * as fs from "node:fs";
import { faultyName } from "../../../hosts/shared/index.js";
import {
  baseOf,
  cleanName,
  nameBelow,
  parentOf,
  refuseClimbingLink,
  refuseInPlace,
  refusedKind,
  targetBelow,
  textOf,
} from "../../../hosts/streams/tar/index.js";
import type { TarEntry, TarSink, TarLimits } from "../../../hosts/streams/tar/index.js";
import { O_PATH, S_IFBLK, S_IFCHR, S_IFIFO, type Kernel } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import { removeAt, removeFileAt, requireUnmounted } from "./remove.js";
import { changeOwner, setAttributes } from "./set-attributes.js";
import { IncomingFile } from "./incoming-file.js";
import { OpenDirectories } from "./open-directories.js";
import type { View } from "./view.js";

/** Numeric ids of an owner. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface ExtractHow {
  /** A directory never replaces anything else, and nothing else replaces a directory. */
  keepKinds: boolean;
  /** Null: the owner that the tar says. */
  owner: Owner | null;
  /** See `TarSink`. */
  limits: TarLimits;
  /** Nobody looks at the files before all of them are there. */
  scratch: boolean;
  /** Nanoseconds since 1970: the time of directories that no entry names; now if not given. */
  made?: bigint;
}

export class Extractor implements TarSink {
  readonly limits: TarLimits;
  readonly #view: View;
  readonly #kernel: Kernel;
  readonly #how: ExtractHow;
  /** The directory to unpack into, with its links resolved. */
  readonly #into: string;
  /** Directories' times, set at the end, since they change with every file that is put in. */
  readonly #directories = new Map<string, Pick<TarEntry, "mtime">>();
  readonly #open = new OpenDirectories((name) => this.#entered(this.#openDirectory(name)));
  /** A descriptor for each file system that is unpacked to, by device number. */
  readonly #fileSystems = new Map<number, number>();
  #file: IncomingFile | null = null;

  constructor(view: View, into: string, kernel: Kernel, how: ExtractHow) {
    this.#view = view;
    this.#into = view.locate(into);
    this.#kernel = kernel;
    this.#how = how;
    this.limits = how.limits;
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = nameBelow(this.#into, entry.name);
    // The directory itself stays as it is.
    if (name === "") return refuseInPlace(entry);
    const owned = this.#how.owner ? { ...entry, ...this.#how.owner } : entry;
    const make = (): void =>
      this.#reporting(entry.type === "directory" ? "mkdir" : "open", name, () => this.#make(name, owned));
    // A file takes its place only when it is complete.
    const cleared = entry.type === "file" ? undefined : this.#clearDirectory(name, owned);
    return cleared ? cleared.then(make) : make();
  }

  data(piece: Uint8Array): Promise<void> | void {
    const file = this.#file;
    if (!file) return;
    const told = (error: unknown): never => {
      throw fileFailure(error, "write", this.#pathOf(file.destination.name));
    };
    try {
      return file.write(piece)?.catch(told);
    } catch (error) {
      told(error);
    }
  }

  hole(size: number): void {
    this.#file?.hole(size);
  }

  end(): Promise<void> | void {
    const file = this.#file;
    if (!file) return;
    const { name, entry, directory, path } = file.destination;
    const put = (): void => {
      this.#file = null;
      this.#reporting("open", name, () => {
        file.finish(() => this.#makeWay(name, entry, directory));
        this.#finish(path, entry);
      });
    };
    const cleared = file.isNamed ? undefined : this.#clearDirectory(name, entry);
    return cleared ? cleared.then(put) : put();
  }

  /** Call this after the last entry. Sets directories' times, the deepest first. */
  finish(): void {
    for (const [name, { mtime }] of [...this.#directories].reverse()) {
      this.#reporting("chtimes", name, () => this.#setTime(name, mtime));
    }
  }

  /** Another name of it may have been replaced meanwhile, by a later entry or by a process of the container. */
  #setTime(name: string, time: bigint): void {
    const parent = this.#view.open(this.#pathOf(parentOf(name)), DIRECTORY);
    try {
      this.#kernel.lutimens(pathIn(parent, baseOf(name)), time, time);
    } finally {
      fs.closeSync(parent);
    }
  }

  /**
   * Flushes everything to disk; before that, a power loss may undo it. Flushes whole file systems, because a flush for
   * each of many files would take longer. The caller may close this without waiting: the descriptors stay open until
   * the flush is done.
   */
  async flush(): Promise<void> {
    const directories = [...this.#fileSystems.values()];
    this.#fileSystems.clear();
    await Promise.all(directories.map((directory) => this.#flushed(directory)));
  }

  async #flushed(directory: number): Promise<void> {
    try {
      await this.#kernel.syncfs(directory);
    } finally {
      fs.closeSync(directory);
    }
  }

  /** Closes everything. An incomplete file leaves nothing behind. */
  close(): void {
    this.#file?.abandon();
    this.#file = null;
    this.#open.close();
    for (const directory of this.#fileSystems.values()) fs.closeSync(directory);
    this.#fileSystems.clear();
  }

  #make(name: string, entry: TarEntry): void {
    const directory = this.#open.get(parentOf(name));
    const path = pathIn(directory, baseOf(name));
    if (entry.type === "file") {
      if (this.#how.keepKinds) this.#makeWay(name, entry, directory);
      this.#file = new IncomingFile({ name, entry, directory, path }, this.#kernel, this.#how.scratch);
      return;
    }
    if (entry.type === "directory") return this.#makeDirectory(name, entry, path, directory);
    if (entry.type === "symlink") refuseClimbingLink(this.#into, name, entry.target);
    const target = entry.type === "link" ? this.#linkTarget(entry) : -1;
    try {
      this.#clear(name, entry, directory);
      if (entry.type === "link") {
        fs.linkSync(pathIn(target, baseOf(targetBelow(this.#into, entry.target))), path);
        return this.#linked(path, entry);
      }
      if (entry.type === "symlink") fs.symlinkSync(Buffer.from(entry.target, "latin1"), path);
      else this.#makeDevice(entry, path);
      fs.lchownSync(path, entry.uid, entry.gid);
      if (entry.type !== "symlink") this.#changeMode(path, entry.mode);
      this.#finish(path, entry);
    } finally {
      if (target >= 0) fs.closeSync(target);
    }
  }

  #makeDirectory(name: string, entry: TarEntry, path: Buffer, parent: number): void {
    if (!this.#clear(name, entry, parent)) fs.mkdirSync(path, 0o700);
    const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
    try {
      this.#entered(fd);
      fs.fchownSync(fd, entry.uid, entry.gid);
      fs.fchmodSync(fd, entry.mode);
    } finally {
      fs.closeSync(fd);
    }
    setAttributes(path, entry.xattrs, this.#kernel);
    this.#directories.delete(name);
    this.#directories.set(name, entry);
  }

  #makeDevice({ type, major, minor }: TarEntry, path: Buffer): void {
    if (type !== "character" && type !== "block" && type !== "fifo") return;
    const device = type === "fifo" ? { major: 0, minor: 0 } : { major, minor };
    this.#kernel.mknod(path, TYPE_BITS[type] | 0o600, device);
  }

  /** chmod(2) would follow a link that was put there just now; a descriptor cannot change its file. */
  #changeMode(path: Buffer, mode: number): void {
    const fd = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
    try {
      if (!fs.fstatSync(fd).isSymbolicLink()) fs.chmodSync(`/proc/self/fd/${fd}`, mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Runs after owner and mode are set, because both clear some attributes. */
  #finish(path: Buffer, { xattrs, mtime }: TarEntry): void {
    if (xattrs.size > 0) setAttributes(path, xattrs, this.#kernel);
    this.#kernel.lutimens(path, mtime, mtime);
  }

  /**
   * The last name that a tar gives a file decides its owner. It also decides mode and time if the link's target has the
   * same name from the root and is not a symbolic link. Docker does so, too: it looks for the target there.
   */
  #linked(path: Buffer, entry: TarEntry): void {
    changeOwner(path, entry);
    if (!this.#isInRoot(entry.target)) return setAttributes(path, entry.xattrs, this.#kernel);
    this.#changeMode(path, entry.mode);
    this.#finish(path, entry);
  }

  #isInRoot(target: string): boolean {
    try {
      const fd = this.#view.open(`/${cleanName(target)}`, O_PATH | fs.constants.O_NOFOLLOW);
      try {
        return !fs.fstatSync(fd).isSymbolicLink();
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
      throw error;
    }
  }

  /** The directory of a hard link's target. The caller closes it. */
  #linkTarget(entry: TarEntry): number {
    const target = targetBelow(this.#into, entry.target);
    if (target === "") throw faultyName("hard-link-to-directory", textOf(entry.name));
    return this.#view.open(this.#pathOf(parentOf(target)), DIRECTORY);
  }

  /** Removes a directory in the way of something else; undefined if there is none. */
  #clearDirectory(name: string, entry: TarEntry): Promise<void> | undefined {
    if (entry.type === "directory") return undefined;
    let cleared: Promise<void> | undefined;
    this.#reporting("open", name, () => {
      const directory = this.#open.get(parentOf(name));
      const there = fs.lstatSync(pathIn(directory, baseOf(name)), { throwIfNoEntry: false });
      if (!there?.isDirectory()) return;
      this.#refuseOtherKind(name, entry, there);
      cleared = this.#removeDirectory(name, directory);
    });
    return cleared;
  }

  async #removeDirectory(name: string, directory: number): Promise<void> {
    try {
      await removeAt(directory, baseOf(name));
    } catch (error) {
      throw fileFailure(error, "unlinkat", this.#pathOf(name));
    }
    this.#forget(name);
  }

  #forget(name: string): void {
    this.#open.forget(name);
    for (const known of this.#directories.keys()) {
      if (known === name || known.startsWith(`${name}/`)) this.#directories.delete(known);
    }
  }

  /**
   * Removes what is there, except a directory (see `#clearDirectory`). True: the entry is a directory, and one is
   * already there.
   */
  #clear(name: string, entry: TarEntry, directory: number): boolean {
    const there = fs.lstatSync(pathIn(directory, baseOf(name)), { throwIfNoEntry: false });
    if (!there) return false;
    this.#refuseOtherKind(name, entry, there);
    if (there.isDirectory() && entry.type === "directory") return true;
    this.#reporting("unlinkat", name, () => removeFileAt(directory, baseOf(name)));
    this.#forget(name);
    return false;
  }

  /** A rename replaces a file or a link by itself. False: the name is free. */
  #makeWay(name: string, entry: TarEntry, directory: number): boolean {
    const there = fs.lstatSync(pathIn(directory, baseOf(name)), { throwIfNoEntry: false });
    if (!there) return false;
    if (there.isDirectory()) return this.#clear(name, entry, directory);
    this.#refuseOtherKind(name, entry, there);
    this.#reporting("unlinkat", name, () => requireUnmounted(directory, baseOf(name)));
    this.#open.forget(name);
    return true;
  }

  #refuseOtherKind(name: string, { type }: TarEntry, there: fs.Stats | undefined): void {
    if (!there || !this.#how.keepKinds || there.isDirectory() === (type === "directory")) return;
    throw refusedKind(this.#pathOf(name), there.isDirectory(), this.#into);
  }

  /** Makes the directory and its parents if they are missing. */
  #openDirectory(name: string): number {
    try {
      return this.#view.open(this.#pathOf(name), DIRECTORY);
    } catch (error) {
      if (name === "" || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    const parent = this.#openDirectory(parentOf(name));
    try {
      fs.mkdirSync(pathIn(parent, baseOf(name)), 0o755);
    } finally {
      fs.closeSync(parent);
    }
    if (this.#how.made !== undefined) this.#directories.set(name, { mtime: this.#how.made });
    return this.#view.open(this.#pathOf(name), DIRECTORY);
  }

  /** Notes which file system an open directory is on. A container may have several. */
  #entered(directory: number): number {
    const { dev } = fs.fstatSync(directory);
    if (!this.#fileSystems.has(dev)) {
      const flags = fs.constants.O_RDONLY | fs.constants.O_DIRECTORY;
      this.#fileSystems.set(dev, fs.openSync(`/proc/self/fd/${directory}`, flags));
    }
    return directory;
  }

  #pathOf(name: string): string {
    return `${this.#into === "/" ? "" : this.#into}/${name}`;
  }

  #reporting(call: string, name: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      throw fileFailure(error, call, this.#pathOf(name));
    }
  }
}

/** The path of a name in an open directory. The caller must not follow the name if it is a link. */
function pathIn(directory: number, name: string): Buffer {
  return Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
}

const DIRECTORY = O_PATH | fs.constants.O_DIRECTORY;
const TYPE_BITS = { character: S_IFCHR, block: S_IFBLK, fifo: S_IFIFO } as const;
