// The disk that a story's records and its journal are on. It may have lied: what it told to be kept goes with the power. And
// what is on it may be damaged, which shows when it is read the next time.

import type { RecordChange, engine, records } from "../../../hosts/shared/host.js";
import { MemoryJournal } from "../../../hosts/shared/journal.js";
import { WorldRecords } from "../../../hosts/simulated/records.js";
import { damagedJournal } from "./damaged-journal.js";

/** Transactions that it can be found to have lied about. */
const MOST = 64;
const ALL = 0xffff_ffff;
const JOURNAL = "journal/";

interface Transaction {
  /** What stood under the keys that it has changed. */
  before: ReadonlyMap<string, Uint8Array | undefined>;
  /** Where the journal ended. */
  end: bigint;
}

/** What goes wrong is the world's. */
const FAULTLESS = { strike: () => null };

/** What of that which was told to be kept is not there as it was, when an engine is opened. */
export interface Spoilt {
  /** Transactions were lost. */
  isLost: boolean;
  /** Records are damaged that nobody has written since. */
  isDamaged: boolean;
  /** Entries of the journal are. */
  isJournalDamaged: boolean;
}

export class Disk extends WorldRecords {
  #last: Transaction[] = [];
  #isLost = false;
  #isJournalDamaged = false;
  /** By key, as they were left. */
  readonly #damaged = new Map<string, Uint8Array>();
  /** What becomes of the journal as it is opened next, one after the other. */
  #mishaps: (() => void)[] = [];
  readonly #room: () => Promise<void>;

  /** `room`: rejects with a `HostFailure` if there is none. */
  constructor(room: () => Promise<void>) {
    super(FAULTLESS);
    this.#room = room;
  }

  override async load(): Promise<engine.Stored[]> {
    for (const mishap of this.#mishaps.splice(0)) mishap();
    return super.load();
  }

  /** An engine is opened from what is there. Null: that is what was told to be kept, or what an earlier one was opened from. */
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

  /** The power goes, and with it the last so many transactions. */
  lose(transactions: number): void {
    const lost = transactions > 0 ? this.#last.splice(-transactions, transactions) : [];
    if (lost.length > 0) this.#isLost = true;
    for (const { before, end } of lost.reverse()) {
      for (const [key, value] of before) this.#set(key, value);
      this.#rewrite(this.#entries().filter(({ position }) => position < end));
    }
  }

  /**
   * The first record whose key begins so is cut off in its middle (`torn`), or nothing of it can be read but its key
   * (`empty`), or not even that (`lost`). Of the journal, by `damaged-journal.ts`; `number` says where.
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
