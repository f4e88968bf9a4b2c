// A container's log in memory, in conmon's format, and what clients read of it.

import { expect } from "vitest";
import type { LogBytes, replies } from "../../hosts/shared/host.js";
import { serveLogs } from "../../hosts/streams/logs.js";

export class MemoryLog implements LogBytes {
  #start = 0;
  #bytes = new Uint8Array(0);
  readonly #watchers = new Set<() => void>();
  closed = 0;

  constructor(text = "") {
    this.append(text);
  }

  append(text: string): void {
    const more = new TextEncoder().encode(text);
    const grown = new Uint8Array(this.#bytes.length + more.length);
    grown.set(this.#bytes);
    grown.set(more, this.#bytes.length);
    this.#bytes = grown;
    for (const watcher of this.#watchers) watcher();
  }

  async size(): Promise<number> {
    return this.#bytes.length;
  }

  async start(): Promise<number> {
    return this.#start;
  }

  /** Drops everything before an offset, which must be the beginning of a line. */
  forget(before: number): void {
    this.#start = before;
  }

  async read(offset: number, into: Uint8Array): Promise<number> {
    if (offset < this.#start) return -1;
    const piece = this.#bytes.subarray(offset, offset + into.length);
    into.set(piece);
    return piece.length;
  }

  watch(grown: () => void): () => void {
    this.#watchers.add(grown);
    return () => void this.#watchers.delete(grown);
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

/** Once its end has been read, drops everything before an offset; with `keeps`, only what no reader holds. */
export class RotatedLog extends MemoryLog {
  readonly #before: number;
  readonly #keeps: boolean;

  constructor(text: string, before: number, keeps: boolean) {
    super(text);
    this.#before = before;
    this.#keeps = keeps;
  }

  override async read(offset: number, into: Uint8Array, from?: number): Promise<number> {
    const read = await super.read(offset, into);
    const position = from ?? offset + Math.max(0, read);
    if (read === 0 && (!this.#keeps || position >= this.#before)) this.forget(this.#before);
    return read;
  }
}

/** `line(3, "hi")`: written three seconds past nine. */
export function line(second: number, text: string, stream = "stdout", tag = "F", offset = "+00:00"): string {
  const seconds = String(second).padStart(2, "0");
  return `2026-11-20T09:00:${seconds}.123456789${offset} ${stream} ${tag} ${text}\n`;
}

/** The time of `line(second)`, in nanoseconds. */
export function timeOf(second: number): bigint {
  return BigInt(Date.UTC(2026, 10, 20, 9, 0, second)) * 1_000_000n + 123_456_789n;
}

export const never = new AbortController().signal;

export class Collected {
  readonly writes: string[] = [];

  async write(bytes: Uint8Array): Promise<boolean> {
    this.writes.push(new TextDecoder("latin1").decode(bytes));
    return true;
  }

  get text(): string {
    return this.writes.join("");
  }
}

/** `1:hello\n` for a frame of stdout; several frames are joined by `|`. */
export function frames(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const length =
      text.charCodeAt(at + 4) * 0x1000000 +
      text.charCodeAt(at + 5) * 0x10000 +
      text.charCodeAt(at + 6) * 0x100 +
      text.charCodeAt(at + 7);
    parts.push(`${text.charCodeAt(at)}:${text.slice(at + 8, at + 8 + length)}`);
    at += 8 + length;
  }
  return parts.join("|");
}

export const ALL: replies.LogSource = {
  container: "c",
  stdout: true,
  stderr: true,
  framed: false,
  prefix: "",
  timestamps: false,
  since: 0n,
  until: 0n,
  follow: false,
  ended: true,
};

/** What a client reads of it. */
export async function logsOf(log: MemoryLog, source: Partial<replies.LogSource>): Promise<string> {
  const client = new Collected();
  await serveLogs({ ...ALL, ...source }, log, client, never, never);
  expect(log.watchers).toBe(0);
  return client.text;
}

export const FIVE = new MemoryLog(
  line(1, "one") + line(2, "two", "stderr") + line(3, "three") + line(4, "four") + line(5, "five"),
);
