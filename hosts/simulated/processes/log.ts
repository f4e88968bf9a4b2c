// A container's log over all its runs, in conmon's k8s-file form: see `LogBytes` in `hosts/host.ts`.

import type { LogBytes } from "../../host.js";
import { never, type Sink } from "./streams.js";

/** conmon reads so many bytes at once, and cuts lines there. */
const READ_BYTES = 8192;
const BLOCK_BYTES = 65_536;
/** A byte takes conmon so long, in nanoseconds: 50 MB a second. */
const LOGGED_BYTE_NS = 20;
/** What a log holds. What comes after that is lost, as it is when a disk is full. */
const LOG_BYTES_MAX = 256 * 1024 ** 2;
const NEWLINE = 0x0a;

const encoder = new TextEncoder();

export class ContainerLog {
  #size = 0;
  readonly #blocks: Uint8Array[] = [];
  readonly #watchers = new Set<() => void>();

  /** `now`: time of day in nanoseconds since 1970. */
  constructor(readonly now: () => bigint) {}

  /** Where a process's output goes. */
  sink(stream: "stdout" | "stderr"): Sink {
    const put = (bytes: Uint8Array): number => this.#write(stream, bytes);
    return { tty: false, byteNs: LOGGED_BYTE_NS, put, wake: never, retain() {}, release() {} };
  }

  open(): LogBytes {
    return {
      size: async () => this.#size,
      read: async (offset, into) => this.#read(offset, into),
      watch: (grown) => {
        const watcher = () => grown();
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
      },
      close: async () => {},
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
      at = end + 1;
    }
  }

  #append(bytes: Uint8Array): void {
    if (this.#size >= LOG_BYTES_MAX) return;
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
    let read = 0;
    while (read < into.length && offset + read < this.#size) {
      const at = offset + read;
      const within = at % BLOCK_BYTES;
      const length = Math.min(BLOCK_BYTES - within, into.length - read, this.#size - at);
      into.set(this.#blocks[Math.floor(at / BLOCK_BYTES)]!.subarray(within, within + length), read);
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
