// A file of a tar that is being unpacked into a container. It appears whole: until then it has no name, and what has its
// name stays; a file gives way to it in one step, so that a crash leaves the one or the other.

import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import type { TarEntry } from "../../../hosts/streams/tar/entry.js";
import { O_TMPFILE, type Kernel } from "../../kernel.js";

/** Where it will be. */
export interface Destination {
  /** In the tar. */
  name: string;
  entry: TarEntry;
  /** Descriptor of its directory. */
  directory: number;
  /** In that directory. */
  path: Buffer;
}

export class IncomingFile {
  readonly destination: Destination;
  readonly #kernel: Kernel;
  readonly #fd: number;
  /** A name that it has until it gets its own. */
  #spare: string | null = null;
  #at = 0;

  constructor(destination: Destination, kernel: Kernel) {
    this.destination = destination;
    this.#kernel = kernel;
    this.#fd = this.#open();
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

  /** The next bytes are zeros that the file need not keep. */
  hole(size: number): void {
    this.#at += size;
  }

  /** Gives it owner, mode and name. `makeWay`: true if something has its name. */
  finish(makeWay: () => boolean): void {
    const { entry } = this.destination;
    try {
      // What the last hole leaves out.
      if (entry.holes > 0) fs.ftruncateSync(this.#fd, entry.size);
      fs.fchownSync(this.#fd, entry.uid, entry.gid);
      fs.fchmodSync(this.#fd, entry.mode);
      this.#take(makeWay());
    } finally {
      this.abandon();
    }
  }

  /** Lets go of it; without its name it is gone. */
  abandon(): void {
    fs.closeSync(this.#fd);
    if (this.#spare !== null) fs.rmSync(this.#spare, { force: true });
  }

  #take(isTaken: boolean): void {
    const { path } = this.destination;
    if (!isTaken && this.#spare === null && this.#link(path)) return;
    this.#spare ??= this.#linkSpare();
    fs.renameSync(this.#spare, path);
    this.#spare = null;
  }

  /** False when something has that name. */
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

/** Off the main thread: a slow disk may take its time. */
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
/** What kernels and file systems say that do not know O_TMPFILE (open(2)); overlayfs does since 6.1. */
const UNKNOWN = new Set(["EOPNOTSUPP", "ENOTSUP", "EISDIR", "EINVAL"]);
/** Bytes of a piece that is written at once. */
const LARGE = 256 << 10;
