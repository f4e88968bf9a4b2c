// One file of a container's log: being written, complete, or complete and compressed.

import { appendFileSync, closeSync, createReadStream, createWriteStream, fstatSync, openSync, read } from "node:fs";
import { readSync, renameSync, rmSync, statSync, unlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createGunzip, createGzip } from "node:zlib";
import { syncPath } from "../directories.js";

/** Suffix of compressed files. */
export const COMPRESSED = ".gz";
/** Suffixes of temporary files. */
const UNPACKED = ".unpacked";
const PACKING = ".packing";
const CUTTING = ".cutting";
/** A supervisor's lines are shorter than this. */
const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 0x0a;
/** RFC 1952: the last four bytes are the uncompressed length, modulo 2^32. */
const LENGTH_BYTES = 4;
const LARGEST_TO_COMPRESS = 2 ** 32 - 1;

export class LogPiece {
  /** Its length once it is complete. */
  #size: number | undefined;
  #fd: number | undefined;
  /** A nameless file with the uncompressed data. */
  #unpacked: Promise<number> | undefined;
  #reading = 0;
  #closing = false;
  #path: string;
  /** Its name was removed; it exists only for readers that still need it. */
  gone = false;

  /** `base`: offset of its first byte in the whole log. It moves only while the file is empty. */
  constructor(
    readonly number: number,
    public base: number,
    path: string,
  ) {
    this.#path = path;
    if (this.compressed) this.#size = unpackedSize(path);
  }

  get path(): string {
    return this.#path;
  }

  get compressed(): boolean {
    return this.#path.endsWith(COMPRESSED);
  }

  get inode(): number | undefined {
    return this.#stat()?.ino;
  }

  get size(): number {
    return this.#size ?? this.#stat()?.size ?? 0;
  }

  get end(): number {
    return this.base + this.size;
  }

  /** The file is complete. */
  finish(): void {
    this.#size = this.size;
  }

  /** More was written to it after all. */
  regrow(): void {
    this.#size = this.#stat()?.size ?? this.#size;
  }

  /**
   * `fresh`: the data was written just now and is still in memory. So it is read synchronously, in a hundredth of the
   * time that another thread would take.
   */
  async read(offset: number, into: Uint8Array, fresh: boolean): Promise<number> {
    const at = offset - this.base;
    if (fresh && !this.compressed) return readSync(this.#open(), into, 0, into.length, at);
    this.#reading++;
    try {
      const fd = await this.#plain();
      return (await readAt(fd, into, 0, into.length, at)).bytesRead;
    } finally {
      this.#reading--;
      if (this.#closing) this.close();
    }
  }

  /** Opens it, unless reading takes a copy. */
  hold(): void {
    if (!this.compressed && statOf(this.#path)) this.#open();
  }

  /** Removes its name. With `keep`, readers that still need it can read on. */
  drop(keep: boolean): void {
    this.finish();
    if (keep && statOf(this.#path)) this.#open();
    this.gone = true;
    rmSync(this.#path, { force: true });
  }

  /**
   * Replaces the file by a compressed one. Current readers continue with the open file. The old file stays until the
   * new one's bytes and name are on disk.
   */
  async compress(): Promise<void> {
    if (this.size > LARGEST_TO_COMPRESS) return;
    const packing = this.#path + PACKING;
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    await fill(packing, createReadStream(this.#path), gzip);
    if (this.gone) return rmSync(packing, { force: true });
    const compressed = this.#path + COMPRESSED;
    renameSync(packing, compressed);
    await lasting(compressed);
    if (this.gone) return rmSync(compressed, { force: true });
    if (this.#reading > 0) this.#open();
    rmSync(this.#path, { force: true });
    this.#path = compressed;
    if (this.#fd !== undefined) this.#unpacked = Promise.resolve(this.#fd);
    this.#fd = undefined;
  }

  /**
   * Offset of the first line that begins at or after `offset`: the end of the file if the last line ends there;
   * undefined if there is none nearby.
   */
  async lineFrom(offset: number): Promise<number | undefined> {
    const bytes = new Uint8Array(LINE_BYTES_MAX);
    const read = await this.read(offset - 1, bytes, false);
    const end = bytes.subarray(0, read).indexOf(NEWLINE);
    return end < 0 ? undefined : offset + end;
  }

  /**
   * Replaces the file by its part from `offset` on, and returns that; undefined if its name was removed meanwhile.
   * Readers that still need the rest can read on.
   */
  async cut(offset: number): Promise<LogPiece | undefined> {
    const cutting = this.#path + CUTTING;
    await fill(cutting, createReadStream(this.#path, { start: offset - this.base }));
    if (this.gone) {
      rmSync(cutting, { force: true });
      return undefined;
    }
    append(cutting, this.#from(offset + statSync(cutting).size));
    renameSync(cutting, this.#path);
    this.gone = true;
    const piece = new LogPiece(this.number, offset, this.#path);
    piece.finish();
    return piece;
  }

  /** Closes its descriptors once nobody reads any more. */
  close(): void {
    this.#closing = this.#reading > 0;
    if (this.#closing) return;
    if (this.#fd !== undefined) closeSync(this.#fd);
    void this.#unpacked?.then(closeSync, () => {});
    this.#fd = this.#unpacked = undefined;
  }

  /** The bytes from there on: marks that were added while the rest was copied. */
  #from(offset: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, this.end - offset));
    return bytes.subarray(0, readSync(this.#open(), bytes, 0, bytes.length, offset - this.base));
  }

  #stat(): Stats | undefined {
    return this.#fd === undefined ? statOf(this.#path) : fstatSync(this.#fd);
  }

  #open(): number {
    return (this.#fd ??= openSync(this.#path, "r"));
  }

  async #plain(): Promise<number> {
    if (!this.compressed) return this.#open();
    const unpacked = (this.#unpacked ??= unpack(this.#open(), this.#path));
    try {
      return await unpacked;
    } catch (error) {
      if (this.#unpacked === unpacked) this.#unpacked = undefined; // there may be room the next time
      throw error;
    }
  }
}

/** Undefined if the file is missing. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}

/**
 * If it fails, it removes its file, since part of one would keep a full disk full. On success the data is flushed to
 * disk, because it replaces another file.
 */
async function fill(path: string, ...from: (NodeJS.ReadableStream | NodeJS.ReadWriteStream)[]): Promise<void> {
  try {
    await pipeline([...from, createWriteStream(path, { mode: 0o600, flush: true })]);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Removes the file if its name cannot be flushed to disk. */
async function lasting(path: string): Promise<void> {
  try {
    await syncPath(dirname(path));
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

function append(path: string, bytes: Uint8Array): void {
  try {
    appendFileSync(path, bytes);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

const readAt = promisify(read);

/**
 * The file disappears with its descriptor. Streams get descriptors of their own, because a stream that fails closes its
 * descriptor.
 */
async function unpack(fd: number, path: string): Promise<number> {
  const plain = openSync(path + UNPACKED, "w+", 0o600);
  try {
    unlinkSync(path + UNPACKED);
    const into = createWriteStream(sameAs(plain), { flags: "r+" });
    await pipeline(createReadStream(sameAs(fd)), createGunzip(), into);
    return plain;
  } catch (error) {
    closeSync(plain);
    throw error;
  }
}

/** Opens the same file once more, whether or not it still has a name. */
function sameAs(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

function unpackedSize(path: string): number {
  const fd = openSync(path, "r");
  try {
    const length = new DataView(new ArrayBuffer(LENGTH_BYTES));
    readSync(fd, length, 0, LENGTH_BYTES, Math.max(0, fstatSync(fd).size - LENGTH_BYTES));
    return length.getUint32(0, true);
  } finally {
    closeSync(fd);
  }
}
