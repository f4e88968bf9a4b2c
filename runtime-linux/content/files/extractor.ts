// Unpacks a tar into a directory of a container that may be running (surface §2.13). Every name is looked up from the
// container's root by the kernel; what is done then is done by way of the directory's descriptor, to the name itself.

import * as fs from "node:fs";
import { faultyName } from "../../../hosts/shared/failure.js";
import { refusedKind } from "../../../hosts/streams/tar/archive-names.js";
import type { TarEntry } from "../../../hosts/streams/tar/entry.js";
import { textOf } from "../../../hosts/streams/tar/latin1.js";
import {
  baseOf,
  cleanName,
  nameBelow,
  parentOf,
  refuseClimbingLink,
  refuseInPlace,
  targetBelow,
} from "../../../hosts/streams/tar/names.js";
import { MOST_HOLES, type TarSink } from "../../../hosts/streams/tar/sink.js";
import { O_PATH, S_IFBLK, S_IFCHR, S_IFIFO, type Kernel } from "../../kernel.js";
import { fileFailure } from "./file-failure.js";
import { removeAt, removeFileAt, requireUnmounted } from "./remove.js";
import { changeOwner, setAttributes } from "./set-attributes.js";
import { IncomingFile } from "./incoming-file.js";
import { OpenDirectories } from "./open-directories.js";
import type { View } from "./view.js";

/** Numbers of an owner. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface ExtractHow {
  /** A directory and something else never take each other's place. */
  keepKinds: boolean;
  /** Null: to whom the tar says. */
  owner: Owner | null;
}

export class Extractor implements TarSink {
  readonly mostHoles = MOST_HOLES;
  readonly #view: View;
  readonly #kernel: Kernel;
  readonly #how: ExtractHow;
  /** The directory to unpack into, without links on its way. */
  readonly #into: string;
  /** Directories' times, which change with whatever is put into them. */
  readonly #directories = new Map<string, TarEntry>();
  readonly #open = new OpenDirectories((name) => this.#entered(this.#openDirectory(name)));
  /** Of each file system that is unpacked to a directory, by its device's number. */
  readonly #fileSystems = new Map<number, number>();
  #file: IncomingFile | null = null;

  constructor(view: View, into: string, kernel: Kernel, how: ExtractHow) {
    this.#view = view;
    this.#into = view.locate(into);
    this.#kernel = kernel;
    this.#how = how;
  }

  entry(entry: TarEntry): Promise<void> | void {
    const name = nameBelow(this.#into, entry.name);
    // The directory itself stays as it is.
    if (name === "") return refuseInPlace(entry);
    const owned = this.#how.owner ? { ...entry, ...this.#how.owner } : entry;
    const make = (): void =>
      this.#reporting(entry.type === "directory" ? "mkdir" : "open", name, () => this.#make(name, owned));
    // A file comes to its place when it is whole.
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
    const cleared = this.#clearDirectory(name, entry);
    return cleared ? cleared.then(put) : put();
  }

  /** After the last entry: directories get their times, the deepest first. */
  finish(): void {
    for (const [name, { mtime }] of [...this.#directories].reverse()) {
      const parent = this.#view.open(this.#pathOf(parentOf(name)), DIRECTORY);
      try {
        this.#kernel.lutimens(pathIn(parent, baseOf(name)), mtime, mtime);
      } finally {
        fs.closeSync(parent);
      }
    }
  }

  /**
   * Puts all of it on the disk: until then a power loss may take it back. Whole file systems: a flush for each file of
   * many would take longer. Who does not wait for it may close this: what is flushed is held open until it is.
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

  /** Lets go of everything; of a file that is not whole nothing is left. */
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
      this.#file = new IncomingFile({ name, entry, directory, path }, this.#kernel);
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

  /** chmod(2) would follow a link put there just now; a descriptor is what it is. */
  #changeMode(path: Buffer, mode: number): void {
    const fd = fs.openSync(path, O_PATH | fs.constants.O_NOFOLLOW);
    try {
      if (!fs.fstatSync(fd).isSymbolicLink()) fs.chmodSync(`/proc/self/fd/${fd}`, mode);
    } finally {
      fs.closeSync(fd);
    }
  }

  /** What comes once owner and mode are set: both take some attributes away. */
  #finish(path: Buffer, { xattrs, mtime }: TarEntry): void {
    if (xattrs.size > 0) setAttributes(path, xattrs, this.#kernel);
    this.#kernel.lutimens(path, mtime, mtime);
  }

  /**
   * The last name of a file that a tar has says to whom it belongs; and its mode and time, where what it links to has the
   * same name from the root and is no symbolic link (as with Docker, which looks for it there).
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

  /** The directory of a hard link's target; the caller closes it. */
  #linkTarget(entry: TarEntry): number {
    const target = targetBelow(this.#into, entry.target);
    if (target === "") throw faultyName("hard-link-to-directory", textOf(entry.name));
    return this.#view.open(this.#pathOf(parentOf(target)), DIRECTORY);
  }

  /** Takes away a directory where something else is to be; undefined if there is none. */
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

  /** Takes away what is there, save a directory (see `#clearDirectory`). True: a directory that is to become one is left. */
  #clear(name: string, entry: TarEntry, directory: number): boolean {
    const there = fs.lstatSync(pathIn(directory, baseOf(name)), { throwIfNoEntry: false });
    if (!there) return false;
    this.#refuseOtherKind(name, entry, there);
    if (there.isDirectory() && entry.type === "directory") return true;
    this.#reporting("unlinkat", name, () => removeFileAt(directory, baseOf(name)));
    this.#forget(name);
    return false;
  }

  /** A file replaces a file, or a link, by itself. False: nothing has its name. */
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

  /** Made, with those above it, if it is not there. */
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
    return this.#view.open(this.#pathOf(name), DIRECTORY);
  }

  /** Takes note of the file system that an open directory is on: a container's may be several. */
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

/** Of a name in an open directory: what it leads to must not be followed by who uses it. */
function pathIn(directory: number, name: string): Buffer {
  return Buffer.from(`/proc/self/fd/${directory}/${name}`, "latin1");
}

const DIRECTORY = O_PATH | fs.constants.O_DIRECTORY;
const TYPE_BITS = { character: S_IFCHR, block: S_IFBLK, fifo: S_IFIFO } as const;
