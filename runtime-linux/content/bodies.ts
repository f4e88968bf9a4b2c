// Files of a layer, one after the other as its tar has them: each one is new, gets its bytes in order, and is finished by
// the caller's callback. All calls that the kernel answers from memory are made at once: a layer has a thread to itself, and
// a turn to another one costs more than they do.

import * as fs from "node:fs";
import { refusedCall } from "../../hosts/shared/index.js";
import { textOf } from "../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../hosts/streams/tar/index.js";
import { completeNew } from "./files/set-attributes.js";

/** Called when a file's bytes, owner and mode are written. */
export type Finish = (path: Buffer, entry: TarEntry) => void;

/** A file that is being written. */
interface File {
  name: string;
  path: Buffer;
  entry: TarEntry;
  fd: number;
  /** The offset of the next bytes. */
  at: number;
}

export class FileBodies {
  readonly #finish: Finish;
  #current: File | null = null;

  constructor(finish: Finish) {
    this.#finish = finish;
  }

  /** Starts a new file; its path must be free. */
  begin(name: string, path: Buffer, entry: TarEntry): void {
    this.#current = { name, path, entry, fd: fs.openSync(path, NEW_FILE, entry.mode & 0o777), at: 0 };
  }

  /** The next bytes, valid until the promise resolves; if no promise is returned, until it returns. */
  data(piece: Uint8Array): Promise<void> | void {
    const file = this.#current;
    if (!file) return;
    const at = file.at;
    file.at += piece.length;
    if (piece.length > LARGE_PIECE) return writeAside(file, piece, at);
    try {
      for (let done = 0; done < piece.length;) {
        done += fs.writeSync(file.fd, piece, done, piece.length - done, at + done);
      }
    } catch (error) {
      throw named(error, file);
    }
  }

  /** The next bytes are zeros; the file may leave a hole for them. */
  hole(size: number): void {
    if (this.#current) this.#current.at += size;
  }

  end(): void {
    const file = this.#current;
    if (!file) return;
    const { fd, entry, path } = file;
    // A hole at the end was not written: set the file's size.
    if (entry.holes > 0) fs.ftruncateSync(fd, entry.size);
    completeNew(fd, entry);
    this.#finish(path, entry);
    this.abandon();
  }

  /** Drops an unfinished file. */
  abandon(): void {
    const file = this.#current;
    this.#current = null;
    if (file) fs.closeSync(file.fd);
  }
}

/** A "disk full" error names the file as the image does. */
export function named(error: unknown, { name }: { name: string }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return NO_ROOM.includes(code ?? "") ? refusedCall(error, "write", `/${textOf(name)}`) : error;
}

async function writeAside(file: File, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(file.fd, bytes, done, bytes.length - done, at + done, (error, count) =>
        error ? reject(named(error, file)) : resolve(count),
      );
    });
  }
}

const NO_ROOM: readonly string[] = ["ENOSPC", "EDQUOT", "EFBIG"];
/** A piece of this size is written by another thread, because the disk may be slow. */
const LARGE_PIECE = 64 << 10;
const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
