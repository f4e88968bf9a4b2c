// A store whose disk takes its time: what is not flushed when the power goes is lost.
import type { Clock, RecordChange, RecordStore, engine } from "../../hosts/host.js";
import { MemoryJournal } from "../../hosts/journal.js";
import { keep } from "./kept-records.js";

/** When a transaction is told to be kept: once it is flushed, or, by a store that is wrong, before. */
export type Promising = "flushed" | "written";

export class UnflushedRecords implements RecordStore {
  readonly #clock: Clock;
  readonly #flushNs: () => bigint;
  readonly #promising: Promising;
  /** On the disk. */
  #stored = new Map<string, Uint8Array>();
  #journal = new MemoryJournal();
  /** Written, in order; each with what stops its flush. */
  #written: { changes: RecordChange[]; callOff: () => void }[] = [];

  /** `flushNs`: how long the next flush takes. */
  constructor(clock: Clock, flushNs: () => bigint, promising: Promising = "flushed") {
    this.#clock = clock;
    this.#flushNs = flushNs;
    this.#promising = promising;
  }

  get journal(): MemoryJournal {
    return this.#journal;
  }

  async load(): Promise<engine.Stored[]> {
    return [...this.#stored].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  commit(changes: RecordChange[]): Promise<void> {
    return new Promise((resolve) => {
      const flushed = (): void => {
        this.#flush();
        resolve();
      };
      const callOff = this.#clock.at(this.#clock.now().monotonic + this.#flushNs(), flushed);
      this.#written.push({ changes, callOff });
      if (this.#promising === "written") resolve();
    });
  }

  /** The power goes. How many transactions were not flushed. */
  lose(): number {
    const lost = this.#written;
    this.#written = [];
    for (const { callOff } of lost) callOff();
    return lost.length;
  }

  /** The engine is killed: what was written is there, though nobody was told. */
  keepAll(): void {
    for (const { callOff } of this.#written) callOff();
    while (this.#written.length > 0) this.#flush();
  }

  async close(): Promise<void> {}

  /** The oldest. */
  #flush(): void {
    for (const change of this.#written.shift()?.changes ?? []) keep(change, this.#stored, this.#journal);
  }
}
