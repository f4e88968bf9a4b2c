// Records in memory. Flushed records survive the engine.

import { MemoryJournal, NO_SPACE, Unwritten } from "../shared/index.js";
import type { RecordChange, RecordStore, engine } from "../shared/index.js";
import type { FaultSource } from "./faults.js";

export class WorldRecords implements RecordStore {
  journal: MemoryJournal;
  /** By key. */
  protected readonly kept = new Map<string, Uint8Array>();
  readonly #faults: FaultSource;

  /** `journalBytes`: the largest size of the journal. */
  constructor(faults: FaultSource, journalBytes?: number) {
    this.#faults = faults;
    this.journal = new MemoryJournal(journalBytes);
  }

  async load(): Promise<engine.Stored[]> {
    const stored = [...this.kept].map(([key, value]) => ({ key, value: value.slice() }));
    return stored.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    if (this.#faults.strike("records-full") !== null) throw new Unwritten(NO_SPACE);
    this.journal.check(changes);
    for (const change of changes) this.keep(change);
  }

  protected keep(change: RecordChange): void {
    if (change.tag === "put") this.kept.set(change.val.key, change.val.value.slice());
    else if (change.tag === "delete") this.kept.delete(change.val);
    else this.journal.append(change.val);
  }

  /** The records stay for the next engine. */
  async close(): Promise<void> {}
}
