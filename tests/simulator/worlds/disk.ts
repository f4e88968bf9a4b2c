// The disk with a story's records and journal. It may lie: a power cut can lose transactions that it had confirmed.
// And its data may be damaged, which shows at the next read.

import type { RecordChange, engine, records } from "../../../hosts/shared/host.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { WorldRecords } from "../../../hosts/simulated/records.js";
import { damagedJournal } from "./damaged-journal.js";

/** The most confirmed transactions that it can lose. */
const MOST = 64;
const ALL = 0xffff_ffff;
const JOURNAL = "journal/";

interface Transaction {
  /** The previous values of the keys that it has changed. */
  before: ReadonlyMap<string, Uint8Array | undefined>;
  /** The end of the journal before it. */
  end: bigint;
}

/** The disk itself has no faults. Those come from the world. */
const FAULTLESS = { strike: () => null };

/** What stored data is lost or damaged when an engine is opened. */
export interface Spoilt {
  /** Transactions were lost. */
  isLost: boolean;
  /** Records are damaged that were not written since. */
  isDamaged: boolean;
  /** Entries of the journal are damaged. */
  isJournalDamaged: boolean;
}

export class Disk extends WorldRecords {
  #last: Transaction[] = [];
  #isLost = false;
  #isJournalDamaged = false;
  /** Damaged values, by key. */
  readonly #damaged = new Map<string, Uint8Array>();
  /** Damages to the journal that happen at the next opening, in order. */
  #mishaps: (() => void)[] = [];
  readonly #room: () => Promise<void>;

  /** `room` rejects with a `HostFailure` if the disk is full. */
  constructor(room: () => Promise<void>) {
    super(FAULTLESS);
    this.#room = room;
  }

  override async load(): Promise<engine.Stored[]> {
    for (const mishap of this.#mishaps.splice(0)) mishap();
    return super.load();
  }

  /** Called when an engine is opened. Null if the data is intact, or as bad as at an earlier opening. */
  opened(): Spoilt | null {
    const isDamaged = [...this.#damaged].some(([key, value]) => this.kept.get(key) === value);
    const spoilt = { isLost: this.#isLost, isDamaged, isJournalDamaged: this.#isJournalDamaged };
    [this.#isLost, this.#isJournalDamaged] = [false, false];
    return Object.values(spoilt).includes(true) ? spoilt : null;
  }

  override async commit(changes: RecordChange[]): Promise<void> {
    await this.#room();
    const keys = changes.flatMap(({ tag, val }) => (tag === "put" ? [val.key] : tag === "delete" ? [val] : []));
    const before = new Map(keys.map((key) => [key, this.kept.get(key)]));
    const end = this.journal.endsAt.next;
    await super.commit(changes);
    this.#last = [...this.#last, { before, end }].slice(-MOST);
  }

  /** Cuts the power, and loses the last `transactions` transactions. */
  lose(transactions: number): void {
    const lost = transactions > 0 ? this.#last.splice(-transactions, transactions) : [];
    if (lost.length > 0) this.#isLost = true;
    for (const { before, end } of lost.reverse()) {
      for (const [key, value] of before) this.#set(key, value);
      this.#rewrite(this.#entries().filter(({ position }) => position < end));
    }
  }

  /**
   * Damages the first record whose key begins with `prefix`: half of it is missing (`torn`), or only its key is
   * readable (`empty`), or not even that (`lost`). For the journal see `damaged-journal.ts`; `number` chooses the
   * place.
   */
  damage(prefix: string, how: string, number: number): void {
    if (prefix === JOURNAL) {
      this.#mishaps.push(() => this.#damageJournal(how, number));
      return;
    }
    const key = [...this.kept.keys()].sort().find((one) => one !== "" && one.startsWith(prefix));
    if (key === undefined) return;
    const value = this.kept.get(key)!;
    if (how === "lost") this.kept.delete(key);
    this.#leave(how === "lost" ? "" : key, damaged(value, how));
  }

  #leave(key: string, value: Uint8Array): void {
    this.#damaged.set(key, value);
    this.kept.set(key, value);
  }

  #damageJournal(how: string, number: number): void {
    const whole = this.#entries();
    if (whole.length === 0) return;
    this.#isJournalDamaged = true;
    this.#rewrite(damagedJournal(whole, how, number));
  }

  #set(key: string, value: Uint8Array | undefined): void {
    if (value === undefined) this.kept.delete(key);
    else this.kept.set(key, value);
  }

  #entries(): records.JournalEntry[] {
    return this.journal.page({ from: { tag: "position", val: 1n }, bytes: ALL }).entries;
  }

  #rewrite(entries: readonly records.JournalEntry[]): void {
    this.journal = new MemoryJournal();
    for (const entry of entries) this.journal.append(entry);
  }
}

function damaged(value: Uint8Array, how: string): Uint8Array {
  if (how === "torn") return value.slice(0, value.length >> 1);
  if (how === "empty" || how === "lost") return new Uint8Array();
  throw new Error(`no such damage: ${how}`);
}
