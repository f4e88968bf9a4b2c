// Records in memory: what was flushed stays, whatever becomes of the engine.

import type { RecordChange, RecordStore, engine } from "../shared/host.js";
import { MemoryJournal } from "../shared/journal.js";
import type { FaultSource } from "./faults.js";

export class WorldRecords implements RecordStore {
  journal: MemoryJournal;
  /** By key. */
  protected readonly kept = new Map<string, Uint8Array>();
  readonly #faults: FaultSource;

  /** `journalBytes`: how large the journal may grow. */
  constructor(faults: FaultSource, journalBytes?: number) {
    this.#faults = faults;
    this.journal = new MemoryJournal(journalBytes);
  }

  async load(): Promise<engine.Stored[]> {
    const stored = [...this.kept].map(([key, value]) => ({ key, value: value.slice() }));
    return stored.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    if (this.#faults.strike("records-full") !== null) {
      throw new Error("write records: no space left on device");
    }
    this.journal.check(changes);
    for (const change of changes) this.keep(change);
  }

  protected keep(change: RecordChange): void {
    if (change.tag === "put") this.kept.set(change.val.key, change.val.value.slice());
    else if (change.tag === "delete") this.kept.delete(change.val);
    else this.journal.append(change.val);
  }

  /** What is kept stays, for the next engine. */
  async close(): Promise<void> {}
}
