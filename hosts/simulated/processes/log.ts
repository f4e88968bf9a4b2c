// A container's log across all its runs, in conmon's k8s-file format: see `LogBytes` in `hosts/shared/host.ts`.

import type { LogBytes, processes } from "../../shared/index.js";
import { never, type Sink } from "./streams.js";

/** conmon reads this many bytes at a time and splits lines there. */
const READ_BYTES = 8192;
const BLOCK_BYTES = 65_536;
/** Time that conmon takes per byte, in nanoseconds: 50 MB per second. */
const LOGGED_BYTE_NS = 20;
/** Upper limit of a log's size, whatever the options ask for: it is held in memory. */
const LOG_BYTES_MAX = 256 * 1024 ** 2;
/** Bytes beyond that limit that a slow reader can keep alive. */
const HELD_BACK_BYTES = 16 * 1024 ** 2;
const NEWLINE = 0x0a;

const encoder = new TextEncoder();

export class ContainerLog {
  #size = 0;
  #blocks: Uint8Array[] = [];
  /** Offset of the first byte. */
  #base = 0;
  /** Offsets at which log files begin, the oldest first. */
  #files = [0];
  #fileBytes = LOG_BYTES_MAX / 2;
  #filesMax = 2;
  /** Bytes before this offset are dropped as soon as no reader needs them. */
  #unkept = 0;
  #passing = false;
  /** Positions of the readers. */
  readonly #readers = new Set<{ position: number }>();
  readonly #watchers = new Set<() => void>();
  /** Streams whose last line has no newline. */
  readonly #open = new Set<string>();

  /** `now`: time of day in nanoseconds since 1970. */
  constructor(readonly now: () => bigint) {}

  /** A log that is over, with these bytes. */
  static of(bytes: Uint8Array, now: () => bigint): ContainerLog {
    const log = new ContainerLog(now);
    log.#append(bytes);
    return log;
  }

  /** Sets how much to keep from now on. */
  keep({ fileBytes, files, passing }: processes.LogKeeping): void {
    this.#passing = passing;
    if (fileBytes === 0n) return;
    this.#filesMax = files;
    this.#fileBytes = Math.min(Number(fileBytes), LOG_BYTES_MAX / files);
  }

  /** A run is over: a last line without a newline is complete. */
  endRun(): void {
    if (this.#passing) return;
    for (const stream of this.#open) this.#append(encoder.encode(`${timeOf(this.now())} ${stream} E \n`));
    this.#open.clear();
    for (const watcher of [...this.#watchers]) watcher();
  }

  /**
   * The run is removed. A log that should not outlive its run goes too, except bytes that open readers have not read.
   */
  clearRun(): void {
    if (!this.#passing) return;
    this.#files.push(this.#size);
    this.#throwAway(this.#size);
  }

  /** Where a process writes its output. */
  sink(stream: "stdout" | "stderr"): Sink {
    const put = (bytes: Uint8Array): number => this.#write(stream, bytes);
    return { tty: false, byteNs: LOGGED_BYTE_NS, put, wake: never, retain() {}, release() {} };
  }

  open(): LogBytes {
    const reader = { position: 0 };
    this.#readers.add(reader);
    return {
      size: async () => this.#size,
      start: async () => this.#files[0]!,
      read: async (offset, into, from) => {
        const read = this.#read(offset, into);
        reader.position = from ?? offset + Math.max(0, read);
        return read;
      },
      watch: (grown) => {
        const watcher = () => grown();
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
      },
      close: async () => {
        this.#readers.delete(reader);
        this.#throwAway(this.#unkept);
      },
    };
  }

  #write(stream: string, bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length; at += READ_BYTES) this.#lines(stream, bytes.subarray(at, at + READ_BYTES));
    for (const watcher of [...this.#watchers]) watcher();
    return bytes.length;
  }

  #lines(stream: string, read: Uint8Array): void {
    const head = `${timeOf(this.now())} ${stream}`;
    for (let at = 0; at < read.length;) {
      const newline = read.indexOf(NEWLINE, at);
      const end = newline < 0 ? read.length : newline;
      this.#append(encoder.encode(`${head} ${newline < 0 ? "P" : "F"} `));
      this.#append(read.subarray(at, end));
      this.#append(Uint8Array.of(NEWLINE));
      if (this.#files.length > this.#filesMax) this.#throwAway(this.#files.at(-this.#filesMax)!);
      if (this.#size - this.#files.at(-1)! >= this.#fileBytes) this.#files.push(this.#size);
      if (newline < 0) this.#open.add(stream);
      else this.#open.delete(stream);
      at = end + 1;
    }
  }

  /**
   * Drops whole files that end at this offset or before. A reader that has not fallen far behind keeps what it has not
   * read.
   */
  #throwAway(before: number): void {
    this.#unkept = before;
    const wanted = Math.min(before, ...[...this.#readers].map(({ position }) => position));
    const held = Math.max(wanted, before - HELD_BACK_BYTES);
    while (this.#files.length > 1 && this.#files[1]! <= held) this.#files.shift();
    const unused = Math.floor((this.#files[0]! - this.#base) / BLOCK_BYTES);
    this.#blocks.splice(0, unused);
    this.#base += unused * BLOCK_BYTES;
  }

  #append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const within = this.#size % BLOCK_BYTES;
      if (within === 0) this.#blocks.push(new Uint8Array(BLOCK_BYTES));
      const piece = bytes.subarray(at, at + BLOCK_BYTES - within);
      this.#blocks.at(-1)!.set(piece, within);
      this.#size += piece.length;
      at += piece.length;
    }
  }

  #read(offset: number, into: Uint8Array): number {
    if (offset < this.#files[0]!) return -1;
    let read = 0;
    while (read < into.length && offset + read < this.#size) {
      const at = offset + read;
      const within = at % BLOCK_BYTES;
      const length = Math.min(BLOCK_BYTES - within, into.length - read, this.#size - at);
      into.set(this.#blocks[Math.floor((at - this.#base) / BLOCK_BYTES)]!.subarray(within, within + length), read);
      read += length;
    }
    return read;
  }
}

/** `2026-01-01T00:00:00.000000000+00:00`. */
function timeOf(wall: bigint): string {
  const second = wall / 1_000_000_000n;
  const date = new Date(Number(second) * 1000).toISOString().slice(0, 19);
  return `${date}.${String(wall % 1_000_000_000n).padStart(9, "0")}+00:00`;
}
