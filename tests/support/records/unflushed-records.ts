// A record store with a slow disk: a power loss discards what is not flushed.
import type { Clock, RecordChange, RecordStore, engine } from "../../../hosts/shared/host.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { keep } from "./kept-records.js";

/**
 * When a transaction is reported as kept: once it and all earlier ones are flushed. Faulty stores report it as soon as
 * it is written, or report every second one while an earlier one is not flushed yet.
 */
export type Promising = "flushed" | "written" | "out of order";

interface Written {
  readonly changes: RecordChange[];
  isFlushed: boolean;
  /** Reports the transaction as kept. */
  readonly keep: () => void;
  /** Cancels its flush. */
  callOff: () => void;
}

export class UnflushedRecords implements RecordStore {
  readonly #clock: Clock;
  readonly #flushNs: () => bigint;
  readonly #promising: Promising;
  /** On disk. */
  #stored = new Map<string, Uint8Array>();
  #journal = new MemoryJournal();
  /** Not on disk, or after one that is not, in order. */
  #written: Written[] = [];
  #count = 0;

  /** `flushNs`: duration of the next flush. */
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
      const isHasty =
        this.#promising === "written" || (this.#promising === "out of order" && (this.#count += 1) % 2 === 1);
      const written: Written = { changes, isFlushed: false, keep: resolve, callOff: () => {} };
      const takesNs = this.#flushNs() * (isHasty ? 8n : 1n);
      written.callOff = this.#clock.at(this.#clock.now().monotonic + takesNs, () => this.#flush(written));
      this.#written.push(written);
      if (isHasty) resolve();
    });
  }

  /** Power loss. Returns how many transactions were not flushed. */
  lose(): number {
    const lost = this.#written.filter(({ isFlushed }) => !isFlushed);
    for (const { callOff } of lost) callOff();
    // The journal ends before its first gap.
    const left = this.#written.flatMap(({ changes, isFlushed }) => (isFlushed ? changes : []));
    this.#apply(left.filter(({ tag }) => tag !== "append"));
    this.#written = [];
    return lost.length;
  }

  /** The engine is killed: written transactions stay, even those not reported. */
  keepAll(): void {
    for (const { callOff, changes } of this.#written) {
      callOff();
      this.#apply(changes);
    }
    this.#written = [];
  }

  async close(): Promise<void> {}

  #flush(written: Written): void {
    written.isFlushed = true;
    if (this.#promising === "out of order") written.keep();
    while (this.#written[0]?.isFlushed) {
      const { changes, keep } = this.#written.shift()!;
      this.#apply(changes);
      keep();
    }
  }

  #apply(changes: readonly RecordChange[]): void {
    for (const change of changes) keep(change, this.#stored, this.#journal);
  }
}
