// The records of a dry run, which are not stored. Its journal continues the live one, which it only reads.

import { MemoryJournal } from "../shared/index.js";
import type { Journal, RecordChange, RecordStore, engine, records } from "../shared/index.js";

/** The most bytes of its own journal entries that a dry run can read again. */
const MOST_BYTES = 4 << 20;

export class DryRunRecords implements RecordStore {
  readonly journal: Journal;
  readonly #live: Journal;
  readonly #own = new MemoryJournal(MOST_BYTES);
  /** Position of its own first entry. It ignores the live journal's entries from there on. */
  #first: bigint | null = null;

  constructor(live: Journal) {
    this.#live = live;
    this.journal = { end: () => this.#end(), read: (reading) => this.#read(reading) };
  }

  load(): Promise<never> {
    return Promise.reject(new Error("a dry run is not opened again"));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    for (const change of changes) {
      if (change.tag !== "append") continue;
      this.#first ??= change.val.position;
      this.#own.append(change.val);
    }
  }

  async close(): Promise<void> {}

  async #end(): Promise<engine.JournalEnd> {
    return this.#first === null ? this.#live.end() : this.#own.endsAt;
  }

  async #read(reading: records.JournalReading): Promise<engine.JournalPage> {
    const page = await this.#live.read(reading);
    const first = this.#first;
    if (first === null) return page;
    const entries = page.entries.filter(({ position }) => position < first);
    const { oldest } = page;
    const last = entries.at(-1);
    if (last === undefined) return { entries: this.#own.page(reading).entries, oldest };
    const room = reading.bytes - entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (last.position + 1n < first || room <= 0) return { entries, oldest };
    const more = this.#own.page({ from: { tag: "position", val: first }, bytes: room }).entries;
    return { entries: [...entries, ...more], oldest };
  }
}
