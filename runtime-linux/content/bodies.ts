// Files being written. Each one is new, gets its bytes in order, and is finished by the caller's callback. Creating a
// file takes the kernel longer than all the rest, so files are created off the main thread, several at a time, while
// bytes of later files come in. Short writes then happen synchronously, because a turn of the event loop costs more
// than the call.

import * as fs from "node:fs";
import { interrupted, refusedCall } from "../../hosts/shared/index.js";
import { textOf } from "../../hosts/streams/tar/index.js";
import type { TarEntry } from "../../hosts/streams/tar/index.js";

/** Called when a file's bytes, owner and mode are written. */
export type Finish = (path: Buffer, entry: TarEntry) => void;

export class FileBodies {
  readonly #finish: Finish;
  /** The file that `data` is for. */
  #current: File | null = null;
  /** Number of unfinished files. */
  #open = 0;
  #waiting: { most: number; resolve: () => void }[] = [];
  /** Why a file could not be written. */
  #failure: unknown;

  constructor(finish: Finish) {
    this.#finish = finish;
  }

  /** Starts a new file; its path must be free. Resolves when bytes may come. */
  begin(name: string, path: Buffer, entry: TarEntry): Promise<void> | void {
    const file: File = { name, path, entry, fd: -1, at: 0, pieces: [], ended: false };
    this.#current = file;
    this.#open++;
    const opened = new Promise<void>((resolve) => {
      fs.open(path, NEW_FILE, 0o600, (error, fd) => {
        if (!error) file.fd = fd;
        if (error || this.#failure) this.#close(file, error);
        else this.#advance(file);
        resolve();
      });
    });
    if (entry.size > LARGE_FILE) return opened;
    if (this.#open >= MOST_OPEN) return this.#until(MOST_OPEN - 1);
  }

  /** The next bytes, valid until the promise resolves. If no promise is returned, the file keeps the buffer. */
  data(piece: Uint8Array): Promise<void> | void {
    const file = this.#current;
    if (!file || this.#failure) return;
    if (file.fd < 0) {
      file.pieces.push(piece);
      return;
    }
    const at = file.at;
    file.at += piece.length;
    if (piece.length > LARGE_PIECE) {
      return write(file.fd, piece, at).catch((error: unknown) => void (this.#failure ??= named(error, file)));
    }
    try {
      writeFully(file.fd, piece, at);
    } catch (error) {
      this.#failure ??= named(error, file);
    }
  }

  /** The next bytes are zeros; the file may leave a hole for them. */
  hole(size: number): void {
    const file = this.#current;
    if (!file || this.#failure) return;
    if (file.fd < 0) file.pieces.push(size);
    else file.at += size;
  }

  end(): void {
    const file = this.#current;
    this.#current = null;
    if (!file) return;
    file.ended = true;
    if (file.fd >= 0) this.#advance(file);
  }

  /** Resolves when all files are finished; throws if one of them could not be written. */
  async settled(): Promise<void> {
    await this.#until(0);
    this.check();
  }

  /** Throws if a file could not be written. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  /** Drops unfinished files. Resolves when no write is running any more. */
  async abandon(): Promise<void> {
    this.#failure ??= interrupted("given-up");
    this.end();
    await this.#until(0);
  }

  /** Continues with a file that is open. */
  #advance(file: File): void {
    try {
      for (const piece of this.#failure ? [] : file.pieces.splice(0)) {
        if (typeof piece !== "number") writeFully(file.fd, piece, file.at);
        file.at += typeof piece === "number" ? piece : piece.length;
      }
      if (file.ended) this.#end(file);
    } catch (error) {
      this.#close(file, error);
    }
  }

  #end(file: File): void {
    if (!this.#failure) {
      // A hole at the end was not written: set the file's size.
      if (file.entry.holes > 0) fs.ftruncateSync(file.fd, file.entry.size);
      fs.fchownSync(file.fd, file.entry.uid, file.entry.gid);
      fs.fchmodSync(file.fd, file.entry.mode);
      this.#finish(file.path, file.entry);
    }
    this.#close(file, null);
  }

  #close(file: File, error: unknown): void {
    if (error) this.#failure ??= named(error, file);
    if (this.#current === file) this.#current = null;
    if (file.fd >= 0) fs.closeSync(file.fd);
    this.#open--;
    const ready = this.#waiting.filter(({ most }) => this.#open <= most);
    this.#waiting = this.#waiting.filter(({ most }) => this.#open > most);
    for (const { resolve } of ready) resolve();
  }

  #until(most: number): Promise<void> {
    if (this.#open <= most) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ most, resolve }));
  }
}

/** A "disk full" error names the file as the image does. */
export function named(error: unknown, { name }: { name: string }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return NO_ROOM.includes(code ?? "") ? refusedCall(error, "write", `/${textOf(name)}`) : error;
}

interface File {
  name: string;
  path: Buffer;
  entry: TarEntry;
  /** -1 until it is open. */
  fd: number;
  /** The offset of the next bytes. */
  at: number;
  /** Bytes, and sizes of holes, that arrived before the file was open. */
  pieces: (Uint8Array | number)[];
  ended: boolean;
}

function writeFully(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done, bytes.length - done, at + done);
}

async function write(fd: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, done, bytes.length - done, at + done, (error, count) =>
        error ? reject(error) : resolve(count),
      );
    });
  }
}

const NO_ROOM: readonly string[] = ["ENOSPC", "EDQUOT", "EFBIG"];
/** How many files of one layer are open at a time. */
const MOST_OPEN = 16;
/** Bytes of a file beyond this size are not buffered until it is open. */
const LARGE_FILE = 256 << 10;
/** A piece of this size is written off the main thread, because the disk may be slow. */
const LARGE_PIECE = 64 << 10;
const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
