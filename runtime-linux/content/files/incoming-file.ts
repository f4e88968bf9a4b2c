// A file from a tar that is being unpacked into a container. It appears only when it is complete. Until then it has no
// name, and an old file of that name stays. The new file replaces the old one in a single step, so a crash leaves
// either the one or the other. A file that nobody looks at meanwhile has its name from the beginning, if that is free: to
// give it one takes longer than to write a small file.

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import type { TarEntry } from "../../../hosts/streams/tar/index.js";
import { O_TMPFILE, type Kernel } from "../../kernel.js";
import { completeNew } from "./set-attributes.js";

/** Where the file will be. */
export interface Destination {
  /** Its name in the tar. */
  name: string;
  entry: TarEntry;
  /** Descriptor of its directory. */
  directory: number;
  /** Its path in that directory. */
  path: Buffer;
}

export class IncomingFile {
  readonly destination: Destination;
  readonly #kernel: Kernel;
  readonly #fd: number;
  /** A temporary name, until the file gets its own. */
  #spare: string | null = null;
  /** It has its name, but perhaps not all of its content. */
  #isNamed = false;
  #at = 0;

  constructor(destination: Destination, kernel: Kernel, scratch: boolean) {
    this.destination = destination;
    this.#kernel = kernel;
    this.#fd = (scratch ? this.#openNamed() : null) ?? this.#open();
  }

  /** It has its name already: nothing else is there. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** The piece is valid until the promise resolves. */
  write(piece: Uint8Array): Promise<void> | void {
    const at = this.#at;
    this.#at += piece.length;
    if (piece.length > LARGE) return writeAside(this.#fd, piece, at);
    for (let done = 0; done < piece.length;) {
      done += fs.writeSync(this.#fd, piece, done, piece.length - done, at + done);
    }
  }

  /** The next bytes are zeros; the file may leave a hole for them. */
  hole(size: number): void {
    this.#at += size;
  }

  /** Sets owner, mode and name. `makeWay` returns true if the name is taken. */
  finish(makeWay: () => boolean): void {
    const { entry } = this.destination;
    try {
      // A hole at the end was not written: set the file's size.
      if (entry.holes > 0) fs.ftruncateSync(this.#fd, entry.size);
      this.#setOwnerAndMode(entry);
      if (!this.#isNamed) this.#take(makeWay());
      this.#isNamed = false;
    } finally {
      this.abandon();
    }
  }

  /** Closes the file. Since it has no name, or loses it, it is gone. */
  abandon(): void {
    fs.closeSync(this.#fd);
    if (this.#spare !== null) fs.rmSync(this.#spare, { force: true });
    if (this.#isNamed) fs.unlinkSync(this.destination.path);
  }

  /** Only a file that has its name was made with its mode. */
  #setOwnerAndMode(entry: TarEntry): void {
    if (this.#isNamed) return completeNew(this.#fd, entry);
    fs.fchownSync(this.#fd, entry.uid, entry.gid);
    fs.fchmodSync(this.#fd, entry.mode);
  }

  #take(isTaken: boolean): void {
    const { path } = this.destination;
    if (!isTaken && this.#spare === null && this.#link(path)) return;
    this.#spare ??= this.#linkSpare();
    fs.renameSync(this.#spare, path);
    this.#spare = null;
  }

  /** False if the name is taken. */
  #link(path: Buffer): boolean {
    try {
      this.#kernel.linkOpen(this.#fd, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return false;
    }
  }

  #linkSpare(): string {
    const spare = this.#spareName();
    this.#kernel.linkOpen(this.#fd, Buffer.from(spare));
    return spare;
  }

  /** Null if something has its name. */
  #openNamed(): number | null {
    try {
      const fd = fs.openSync(this.destination.path, NEW, this.destination.entry.mode & 0o777);
      this.#isNamed = true;
      return fd;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return null;
    }
  }

  #open(): number {
    try {
      return fs.openSync(`/proc/self/fd/${this.destination.directory}`, O_TMPFILE | fs.constants.O_WRONLY, 0o600);
    } catch (error) {
      if (!UNKNOWN.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    this.#spare = this.#spareName();
    return fs.openSync(this.#spare, NEW, 0o600);
  }

  #spareName(): string {
    return `/proc/self/fd/${this.destination.directory}/.coracle-${randomBytes(8).toString("hex")}`;
  }
}

/** Off the main thread, because the disk may be slow. */
async function writeAside(fd: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, done, bytes.length - done, at + done, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
  }
}

const NEW = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
/** Errors of kernels and file systems without O_TMPFILE (open(2)). overlayfs supports it since Linux 6.1. */
const UNKNOWN = new Set(["EOPNOTSUPP", "ENOTSUP", "EISDIR", "EINVAL"]);
/** A larger piece is written off the main thread. */
const LARGE = 256 << 10;
