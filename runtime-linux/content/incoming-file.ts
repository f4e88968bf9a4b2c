// A file of a tar that is being unpacked into a container. It appears whole: until then it has no name, and what has its
// name stays.

import * as fs from "node:fs";
import type { TarEntry } from "../../hosts/streams/tar/entry.js";
import { O_TMPFILE, type Kernel } from "../kernel.js";

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
  /** It has its name already, since its file system knows no files without one. */
  #named = false;
  #at = 0;

  /** `clear` takes away what has its name. */
  constructor(destination: Destination, kernel: Kernel, clear: () => void) {
    this.destination = destination;
    this.#kernel = kernel;
    this.#fd = this.#open(clear);
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

  /** Gives it owner, mode and name. `clear` as above. */
  finish(clear: () => void): void {
    const { entry, path } = this.destination;
    try {
      fs.fchownSync(this.#fd, entry.uid, entry.gid);
      fs.fchmodSync(this.#fd, entry.mode);
      if (!this.#named) {
        clear();
        this.#kernel.linkOpen(this.#fd, path);
        this.#named = true;
      }
    } finally {
      this.abandon();
    }
  }

  /** Lets go of it; without a name it is gone. */
  abandon(): void {
    fs.closeSync(this.#fd);
  }

  #open(clear: () => void): number {
    const { directory, path } = this.destination;
    try {
      return fs.openSync(`/proc/self/fd/${directory}`, O_TMPFILE | fs.constants.O_WRONLY, 0o600);
    } catch (error) {
      if (!UNKNOWN.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
    clear();
    this.#named = true;
    return fs.openSync(path, NEW, 0o600);
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
