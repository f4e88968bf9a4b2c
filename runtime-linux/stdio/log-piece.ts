// One file of a container's log: being written, whole, or whole and compressed.

import { appendFileSync, closeSync, createReadStream, createWriteStream, fstatSync, openSync, read } from "node:fs";
import { readSync, renameSync, rmSync, statSync, unlinkSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createGunzip, createGzip } from "node:zlib";
import { syncPath } from "../directories.js";

/** Ending of the names of compressed files. */
export const COMPRESSED = ".gz";
/** Endings of names that are there for a moment. */
const UNPACKED = ".unpacked";
const PACKING = ".packing";
const CUTTING = ".cutting";
/** A supervisor's lines are shorter. */
const LINE_BYTES_MAX = 64 * 1024;
const NEWLINE = 0x0a;
/** RFC 1952: the last four bytes are the length of what was compressed, modulo 2^32. */
const LENGTH_BYTES = 4;
const LARGEST_TO_COMPRESS = 2 ** 32 - 1;

export class LogPiece {
  /** Its length once nothing more is written to it. */
  #size: number | undefined;
  #fd: number | undefined;
  /** A nameless file with what was compressed. */
  #unpacked: Promise<number> | undefined;
  #reading = 0;
  #closing = false;
  #path: string;
  /** Its name was taken away: it is there for those who have yet to read it. */
  gone = false;

  /** `base`: offset of its first byte in the whole log. It moves only while nothing is in it. */
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

  /** Nothing more is written to it. */
  finish(): void {
    this.#size = this.size;
  }

  /** More was written to it after all. */
  regrow(): void {
    this.#size = this.#stat()?.size ?? this.#size;
  }

  /**
   * `fresh`: what is there was written just now, so that it is in memory: it is read at once, in a hundredth of the time
   * that another thread would take.
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

  /** Takes its name away; with `keep`, who has yet to read it still can. */
  drop(keep: boolean): void {
    this.finish();
    if (keep && statOf(this.#path)) this.#open();
    this.gone = true;
    rmSync(this.#path, { force: true });
  }

  /**
   * Puts a compressed file in its place. Those who are reading it go on with what they have. It stays itself until the
   * other's bytes and name are on the disk.
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
   * Offset of the first line that begins at or after `offset`: its end, if that is where the last one ends; undefined if
   * none is near.
   */
  async lineFrom(offset: number): Promise<number | undefined> {
    const bytes = new Uint8Array(LINE_BYTES_MAX);
    const read = await this.read(offset - 1, bytes, false);
    const end = bytes.subarray(0, read).indexOf(NEWLINE);
    return end < 0 ? undefined : offset + end;
  }

  /**
   * Puts the part from `offset` on in its place, and gives that; undefined if its name was taken away meanwhile. Who has
   * yet to read the rest still can.
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

  /** Closes what is open of it, when nobody reads any more. */
  close(): void {
    this.#closing = this.#reading > 0;
    if (this.#closing) return;
    if (this.#fd !== undefined) closeSync(this.#fd);
    void this.#unpacked?.then(closeSync, () => {});
    this.#fd = this.#unpacked = undefined;
  }

  /** What is in it from there on: marks that came while the rest was copied. */
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

/** Undefined for what is not there. */
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
 * Leaves no file when it fails: where the disk is full, a part of one would keep it full. What it leaves is on the disk:
 * it takes the place of another.
 */
async function fill(path: string, ...from: (NodeJS.ReadableStream | NodeJS.ReadWriteStream)[]): Promise<void> {
  try {
    await pipeline([...from, createWriteStream(path, { mode: 0o600, flush: true })]);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Leaves no file when its name cannot be put on the disk. */
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

/** It goes with its descriptor. Streams have descriptors of their own: one that fails closes what it was given. */
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

/** Opens the same file once more, whether it still has a name or not. */
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
