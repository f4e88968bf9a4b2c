// The journal of a host that keeps its records in memory.

import { HostFailure } from "./failure.js";
import type { Journal, RecordChange, engine, records } from "./host.js";

/** The default size limit of a journal, in bytes. */
export const JOURNAL_BYTES = 64 * 1024 * 1024;

/** The approximate overhead of an entry in any kind of storage, in bytes. */
export const ENTRY_BYTES = 40;

/** Keeps entries of at most this many bytes, but always the newest one, however large. */
export class MemoryJournal implements Journal {
  readonly #limit: number;
  /** The first `#gone` of them have been removed. */
  #entries: records.JournalEntry[] = [];
  #gone = 0;
  #bytes = 0;

  constructor(limit: number = JOURNAL_BYTES) {
    this.#limit = limit;
  }

  /** Before a transaction: throws a `HostFailure` if its entries do not continue the journal. */
  check(changes: readonly RecordChange[]): void {
    checkNext(changes, this.endsAt.next);
  }

  append(entry: records.JournalEntry): void {
    this.#entries.push({ ...entry, bytes: entry.bytes.slice() });
    this.#bytes += sizeOf(entry);
    while (this.#bytes > this.#limit && this.#gone < this.#entries.length - 1) {
      this.#bytes -= sizeOf(this.#entries[this.#gone++]!);
    }
    if (this.#gone <= this.#entries.length / 2) return;
    this.#entries = this.#entries.slice(this.#gone);
    this.#gone = 0;
  }

  /** A copy with the same entries. */
  copy(): MemoryJournal {
    const copy = new MemoryJournal(this.#limit);
    for (const entry of this.#entries.slice(this.#gone)) copy.append(entry);
    return copy;
  }

  async end(): Promise<engine.JournalEnd> {
    return this.endsAt;
  }

  async read(reading: records.JournalReading): Promise<engine.JournalPage> {
    return this.page(reading);
  }

  /** Like `end`, but synchronous. */
  get endsAt(): engine.JournalEnd {
    const last = this.#entries.at(-1);
    return last === undefined ? { next: 1n, at: 0n } : { next: last.position + 1n, at: last.at };
  }

  /** Like `read`, but synchronous. */
  page({ from, bytes }: records.JournalReading): engine.JournalPage {
    const entries: records.JournalEntry[] = [];
    let taken = 0;
    for (let at = this.#find(from); at < this.#entries.length; at++) {
      const entry = this.#entries[at]!;
      taken += entry.bytes.length;
      if (taken > bytes && entries.length > 0) break;
      entries.push({ ...entry, bytes: entry.bytes.slice() });
    }
    return { entries, oldest: this.#entries[this.#gone]?.position ?? 1n };
  }

  #find(from: records.JournalStart): number {
    const isBefore = (entry: records.JournalEntry): boolean =>
      from.tag === "position" ? entry.position < from.val : entry.at < from.val;
    return firstNot(this.#gone, this.#entries.length, (at) => isBefore(this.#entries[at]!));
  }
}

/** How much an entry counts towards the limit. */
export function sizeOf({ bytes }: Pick<records.JournalEntry, "bytes">): number {
  return ENTRY_BYTES + bytes.length;
}

/** Throws a `HostFailure`: an entry anywhere but at the journal's end would be a defect. */
export function checkNext(changes: readonly RecordChange[], next: bigint): void {
  for (const { tag, val } of changes) {
    if (tag !== "append") continue;
    const { position } = val;
    if (position !== next)
      throw new HostFailure({ tag: "internal", val: `the journal goes on at ${next}, not at ${position}` });
    next += 1n;
  }
}

/** The first of the numbers `from` … `to` - 1 for which `isBefore` is false; `to` if there is none. */
export function firstNot(from: number, to: number, isBefore: (at: number) => boolean): number {
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isBefore(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}
