// The disk that a story's records and its journal are on. It may have lied: what it told to be kept goes with the power. And
// what is on it may be damaged, which shows when it is read the next time.

import type { RecordChange, RecordStore, engine } from "../../../hosts/host.js";
import { MemoryJournal } from "../../../hosts/journal.js";

/** Transactions that it can be found to have lied about. */
const MOST = 64;
const ALL = 0xffff_ffff;

interface Transaction {
  /** What stood under the keys that it has changed. */
  before: ReadonlyMap<string, Uint8Array | undefined>;
  /** Where the journal ended. */
  end: bigint;
}

export class Disk implements RecordStore {
  journal = new MemoryJournal();
  readonly #room: () => Promise<void>;
  readonly #kept = new Map<string, Uint8Array>();
  #last: Transaction[] = [];

  /** `room`: rejects with a `HostFailure` if there is none. */
  constructor(room: () => Promise<void>) {
    this.#room = room;
  }

  async load(): Promise<engine.Stored[]> {
    const stored = [...this.#kept].map(([key, value]) => ({ key, value: value.slice() }));
    return stored.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    await this.#room();
    this.journal.check(changes);
    const keys = changes.flatMap(({ tag, val }) => (tag === "put" ? [val.key] : tag === "delete" ? [val] : []));
    const before = new Map(keys.map((key) => [key, this.#kept.get(key)]));
    this.#last = [...this.#last, { before, end: this.journal.endsAt.next }].slice(-MOST);
    for (const change of changes) this.#keep(change);
  }

  /** The power goes, and with it the last so many transactions. */
  lose(transactions: number): void {
    for (const { before, end } of this.#last.splice(-transactions, transactions).reverse()) {
      for (const [key, value] of before) this.#set(key, value);
      this.#cutJournal(end);
    }
  }

  /**
   * The first record whose key begins so is cut off in its middle (`torn`), or nothing of it can be read but its key
   * (`empty`), or not even that (`lost`).
   */
  damage(prefix: string, how: string): void {
    const key = [...this.#kept.keys()].sort().find((one) => one !== "" && one.startsWith(prefix));
    if (key === undefined) return;
    const value = this.#kept.get(key)!;
    if (how === "torn") this.#set(key, value.slice(0, value.length >> 1));
    else if (how === "empty") this.#set(key, new Uint8Array());
    else if (how === "lost") this.#loseKey(key);
    else throw new Error(`no such damage: ${how}`);
  }

  async close(): Promise<void> {}

  #loseKey(key: string): void {
    this.#kept.delete(key);
    this.#kept.set("", new Uint8Array());
  }

  #keep(change: RecordChange): void {
    if (change.tag === "put") this.#set(change.val.key, change.val.value.slice());
    else if (change.tag === "delete") this.#set(change.val, undefined);
    else this.journal.append(change.val);
  }

  #set(key: string, value: Uint8Array | undefined): void {
    if (value === undefined) this.#kept.delete(key);
    else this.#kept.set(key, value);
  }

  #cutJournal(end: bigint): void {
    const { entries } = this.journal.page({ from: { tag: "position", val: 1n }, bytes: ALL });
    this.journal = new MemoryJournal();
    for (const entry of entries) if (entry.position < end) this.journal.append(entry);
  }
}
