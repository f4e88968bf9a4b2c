// The journal, in its own part of the records' database (LMDB). Entries are stored by position. Each also holds the
// total bytes of all entries ever written up to it, so that the journal's size is known without counting.

import type * as Lmdb from "lmdb";
import { ENTRY_BYTES, checkNext, firstNot, interrupted, sizeOf, turn } from "../../shared/index.js";
import type { Journal, RecordChange, engine, records } from "../../shared/index.js";

/** Comes before an entry's own bytes: its time, and that total. */
const HEAD_BYTES = 16;

/**
 * How much more than necessary is pruned at a time. Pruning changes a few pages, and is then not needed for a while.
 */
const MOST_SPARE = 64 * 1024;

type Database = Lmdb.Database<Uint8Array, number>;

/** Both ends of the journal. */
interface Extent {
  oldest: number;
  next: number;
  at: bigint;
  /** Bytes of all entries ever written, and of those that were pruned. */
  sum: bigint;
  gone: bigint;
}

export class LmdbJournal implements Journal {
  readonly #database: Database;
  readonly #limit: number;
  /** Null: must be looked up. */
  #extent: Extent | null = null;
  #closed = false;
  /** The total of the last restored entry in the other database. */
  #restored = 0n;

  constructor(database: Database, limit: number) {
    this.#database = database;
    this.#limit = limit;
  }

  async end(): Promise<engine.JournalEnd> {
    const { next, at } = this.#known();
    return { next: BigInt(next), at };
  }

  async read({ from, bytes }: records.JournalReading): Promise<engine.JournalPage> {
    // A reader that continues as soon as a page arrives would otherwise block everybody else.
    await turn();
    if (this.#closed) throw interrupted("engine-gone");
    this.#database.resetReadTxn();
    const { oldest, next } = this.#ends();
    const start = from.tag === "position" ? Math.max(oldest, Number(from.val)) : this.#since(from.val, oldest, next);
    const entries: records.JournalEntry[] = [];
    let taken = 0;
    for (const { key, value } of this.#database.getRange({ start, snapshot: false })) {
      taken += value.length - HEAD_BYTES;
      if (taken > bytes && entries.length > 0) break;
      entries.push({ position: BigInt(key), at: head(value).at, bytes: new Uint8Array(value.subarray(HEAD_BYTES)) });
      // Asking for the next entry would already read it.
      if (taken >= bytes) break;
    }
    return { entries, oldest: BigInt(oldest) };
  }

  /** Before a transaction: throws a `HostFailure` if its entries do not continue the journal. */
  check(changes: readonly RecordChange[]): void {
    checkNext(changes, BigInt(this.#known().next));
  }

  /** Call this within a transaction. */
  append(entry: records.JournalEntry): void {
    const extent = this.#known();
    extent.sum += BigInt(sizeOf(entry));
    extent.at = entry.at;
    write(this.#database.put(extent.next++, valueOf(entry, extent.sum)));
  }

  /**
   * Within a transaction: restores an entry of another database, if possible at its old position, so that readers are
   * told how many are gone before it. If the totals show that so many cannot be missing, appends it at the next
   * position.
   */
  restore(position: number, value: Uint8Array): void {
    if (value.length < HEAD_BYTES) return;
    const { at, sum } = head(value);
    const bytes = value.subarray(HEAD_BYTES);
    const extent = this.#known();
    const between = sum - BigInt(sizeOf({ bytes })) - this.#restored;
    this.#restored = sum;
    const gone = position - extent.next;
    if (gone > 0 && between >= BigInt(gone * ENTRY_BYTES)) {
      if (extent.next === extent.oldest) extent.oldest = position;
      extent.next = position;
    }
    this.append({ position: BigInt(extent.next), at, bytes });
  }

  /** Within a transaction, after all its entries: removes the oldest beyond the limit. */
  prune(): void {
    const extent = this.#known();
    if (extent.sum - extent.gone <= BigInt(this.#limit)) return;
    this.#database.resetReadTxn();
    const kept = BigInt(this.#limit - Math.min(MOST_SPARE, Math.floor(this.#limit / 8)));
    // Entries of this transaction cannot be read yet; they stay.
    for (const { key, value } of this.#database.getRange({ start: extent.oldest, snapshot: false })) {
      if (extent.sum - extent.gone <= kept) break;
      extent.gone = head(value).sum;
      extent.oldest = key + 1;
      write(this.#database.remove(key));
    }
  }

  /** A transaction failed: what it changed must be looked up again. */
  forget(): void {
    this.#extent = null;
  }

  /** The database is about to close: reading a closed one makes LMDB end the process. */
  close(): void {
    this.#closed = true;
  }

  #known(): Extent {
    return (this.#extent ??= this.#lookedUp());
  }

  /** The readable range. It reads no entry's bytes, which may be megabytes. */
  #ends(): Pick<Extent, "oldest" | "next"> {
    const [last] = this.#database.getKeys({ reverse: true, limit: 1 });
    const [first] = this.#database.getKeys({ limit: 1 });
    return first === undefined || last === undefined ? { oldest: 1, next: 1 } : { oldest: first, next: last + 1 };
  }

  #lookedUp(): Extent {
    const [last] = this.#database.getRange({ reverse: true, limit: 1 });
    const [first] = this.#database.getRange({ limit: 1 });
    if (first === undefined || last === undefined) return { oldest: 1, next: 1, at: 0n, sum: 0n, gone: 0n };
    const { at, sum } = head(last.value);
    const own = BigInt(sizeOf({ bytes: first.value.subarray(HEAD_BYTES) }));
    return { oldest: first.key, next: last.key + 1, at, sum, gone: head(first.value).sum - own };
  }

  #since(time: bigint, oldest: number, next: number): number {
    return firstNot(oldest, next, (position) => {
      const value = this.#database.get(position) ?? this.#behind(position);
      return value !== undefined && head(value).at < time;
    });
  }

  /** The value behind a position. If that entry is gone, the next existing one tells the time. */
  #behind(position: number): Uint8Array | undefined {
    const [found] = this.#database.getRange({ start: position, limit: 1, snapshot: false });
    return found?.value;
  }
}

function valueOf({ at, bytes }: records.JournalEntry, sum: bigint): Uint8Array {
  const value = new Uint8Array(HEAD_BYTES + bytes.length);
  const view = new DataView(value.buffer);
  view.setBigInt64(0, at);
  view.setBigUint64(8, sum);
  value.set(bytes, HEAD_BYTES);
  return value;
}

function head(value: Uint8Array): { at: bigint; sum: bigint } {
  const view = new DataView(value.buffer, value.byteOffset, HEAD_BYTES);
  return { at: view.getBigInt64(0), sum: view.getBigUint64(8) };
}

/** Ignores this write's own result, because the result of the whole transaction is awaited. */
function write(kept: Promise<boolean>): void {
  kept.catch(() => {});
}
