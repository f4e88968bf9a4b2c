// Files being written: each is new, gets its bytes in order, and is finished by whoever asked for it. Making a file
// takes the kernel longer than all the rest, so files are made off the main thread, several at a time, while the bytes
// of later ones come in. What is short is then done at once: a turn of the event loop costs more than a call.

import * as fs from "node:fs";
import { interrupted, refusedCall } from "../../hosts/shared/failure.js";
import type { TarEntry } from "../../hosts/streams/tar/entry.js";
import { textOf } from "../../hosts/streams/tar/latin1.js";

/** Called when a file's bytes, owner and mode are there. */
export type Finish = (path: Buffer, entry: TarEntry) => void;

export class FileBodies {
  readonly #finish: Finish;
  /** The one that `data` is for. */
  #current: File | null = null;
  /** Files that are not finished. */
  #open = 0;
  #waiting: { most: number; resolve: () => void }[] = [];
  /** Why one could not be written. */
  #failure: unknown;

  constructor(finish: Finish) {
    this.#finish = finish;
  }

  /** A new file; nothing may be at its path. Resolves when bytes may come. */
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

  /** The next bytes, valid until the promise resolves; when there is none, the file keeps them. */
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

  /** The next bytes are zeros that the file need not keep. */
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

  /** Resolves when all files are finished; throws when one could not be. */
  async settled(): Promise<void> {
    await this.#until(0);
    this.check();
  }

  /** Throws when a file could not be written. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  get isBusy(): boolean {
    return this.#open > 0;
  }

  /** Lets go of what is not finished; resolves when nothing is written any more. */
  async abandon(): Promise<void> {
    this.#failure ??= interrupted("given-up");
    this.end();
    await this.#until(0);
  }

  /** Goes on with a file that is open. */
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
      // What the last hole leaves out.
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

/** A full disk is told by the name that the file has in the image. */
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
  /** Where the next bytes go. */
  at: number;
  /** Bytes, and sizes of holes, that came before it was open. */
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
/** Files of one layer on their way at a time. */
const MOST_OPEN = 16;
/** Bytes of a file that are not kept until it is open. */
const LARGE_FILE = 256 << 10;
/** Bytes of a piece that is written off the main thread: a slow disk may take its time. */
const LARGE_PIECE = 64 << 10;
const NEW_FILE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | fs.constants.O_NOFOLLOW;
