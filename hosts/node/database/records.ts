// Durable records and the journal in an embedded database (LMDB). A transaction's pages are written and flushed, then the
// page that makes them valid (one of two that take turns, written through: `O_DSYNC`), and only then is it told to be
// kept. So at whatever moment the power is lost, all that was told is there, and of what came after it all of a
// transaction or nothing. LMDB is let to a file only where all of it is sound: a damaged one is kept beside a new one,
// which has all that can be read of it.

import { rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Lmdb from "lmdb";
import type { RecordChange, RecordStore, engine } from "../../shared/host.js";
import { JOURNAL_BYTES } from "../../shared/journal.js";
import { makePrivate, syncPath } from "../../../runtime-linux/directories.js";
import { isJournal, JOURNAL, LOST, RESERVE_KEY } from "./names.js";
import { keepDamaged, putInPlace, type DamageTold } from "./replacement.js";
import type { Survey } from "./survey.js";
import { findDatabase } from "./database-file.js";
import { LmdbJournal } from "./journal.js";

/**
 * Opens the database in a directory, which is made if it is missing. Others cannot read it: environments are in it.
 * `journalBytes`: how large the journal may grow. `owned`: directories with what only records tell the owners of.
 * `told`: told of a damaged one.
 */
export async function openRecords(
  directory: string,
  journalBytes: number = JOURNAL_BYTES,
  owned: readonly string[] = [],
  told: DamageTold = () => {},
): Promise<RecordStore> {
  makePrivate(directory);
  const found = findDatabase(join(directory, DATABASE), owned);
  if (!found?.isSound) await makeWhole(directory, journalBytes, found, told);
  const records = new LmdbRecords(directory, journalBytes, told);
  // What a killed engine left unflushed is seen by this one: nobody may be told of it before it is flushed.
  await syncPath(join(directory, DATABASE));
  return records;
}

/**
 * The database appears with its first pages flushed: cut off before, it could not be opened again. `damaged`: what can
 * be read of the one that it takes the place of.
 */
async function makeWhole(
  directory: string,
  journalBytes: number,
  damaged: Survey | null,
  told: DamageTold,
): Promise<void> {
  const draft = join(directory, "draft");
  rmSync(draft, { recursive: true, force: true });
  try {
    if (damaged !== null) await needRoom(directory, sizeOfAll(damaged));
    const records = new LmdbRecords(draft, journalBytes, told);
    try {
      if (damaged !== null) await records.fill(damaged);
    } finally {
      await records.close();
    }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (damaged === null) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const file = join(directory, DATABASE);
    throw new Error(`${file} is damaged, and no other can be made beside it: ${why}`);
  }
  if (damaged !== null) await keepDamaged(directory, DATABASE, damaged, told);
  await putInPlace(draft, directory, DATABASE);
}

/** LMDB dies of a disk that has no room for its lock. */
async function needRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < NEW_BYTES + 2 * bytes) throw new Error("no space left on device");
}

function sizeOfAll(found: Survey): number {
  const values = [...found.records(), ...found.entries()].map(({ value }) => value);
  return values.reduce((sum, value) => sum + (value?.length ?? 0) + PER_VALUE, 0);
}

/** A new database with its reserve, and what a value takes besides itself. */
const NEW_BYTES = 3 * 1024 * 1024;
const PER_VALUE = 128;

/** LMDB's own name for it. */
const DATABASE = "data.mdb";

/** Below so much free space a failed write is taken to have failed for lack of it: LMDB itself only says EIO. */
const NO_ROOM = 1024 * 1024;

/** A commit that takes longer will not end: LMDB takes no more of them once it could not write its own pages. */
const LIMIT_MS = 60_000;

/** Bytes of a key (LMDB's own limit). */
const LONGEST_KEY = 1978;

/** Room that the database keeps for itself, in bytes, so that records can be changed when the disk is full. */
const RESERVE = 1024 * 1024;

class LmdbRecords implements RecordStore {
  readonly #directory: string;
  readonly #journalBytes: number;
  readonly #told: DamageTold;
  #database!: Lmdb.RootDatabase<Uint8Array, string>;
  #journal!: LmdbJournal;
  /** A commit has not ended: what became of it cannot be known before the database is opened anew. */
  #isStuck = false;
  /** Something failed for no reason that is known: its file may have been damaged since it was looked at. */
  #isDoubtful = false;

  constructor(directory: string, journalBytes: number, told: DamageTold) {
    this.#directory = directory;
    this.#journalBytes = journalBytes;
    this.#told = told;
    this.#open();
  }

  get journal(): LmdbJournal {
    return this.#journal;
  }

  #open(): void {
    // What is read is read once, at start: nothing is gained by caches or many readers.
    const { open } = createRequire(import.meta.url)("lmdb") as typeof Lmdb;
    // Without batches of the database's own making there is no promise of one that nobody waits for. What cannot be
    // flushed must not be seen either, which overlapping flushes would allow.
    const mine = { eventTurnBatching: false, overlappingSync: false, cache: false, maxReaders: 8 };
    this.#database = open({ path: this.#directory, encoding: "binary", ...mine });
    const numbered = { name: JOURNAL, encoding: "binary", cache: false } as const;
    this.#journal = new LmdbJournal(this.#database.openDB<Uint8Array, number>(numbered), this.#journalBytes);
    this.#reserve();
  }

  /** What is put and taken away leaves free pages inside the file: LMDB never gives them back. */
  #reserve(): void {
    try {
      this.#database.putSync(RESERVE_KEY, new Uint8Array(RESERVE));
      this.#database.removeSync(RESERVE_KEY);
    } catch {
      // No room for it: then it was made at an earlier start, or there never was any.
    }
  }

  async load(): Promise<engine.Stored[]> {
    if (this.#isStuck) throw STUCK;
    if (this.#isDoubtful) await this.#lookAgain();
    this.#isDoubtful = true;
    const stored = [...this.#database.getRange({ snapshot: true })].map(({ key, value }) => ({ key, value }));
    this.#isDoubtful = false;
    // What keeps room may still be there, where there was none to take it away.
    return stored.filter(({ key }) => !isJournal(key) && key !== RESERVE_KEY).map(lostWithoutKey);
  }

  /**
   * A transaction that failed may have met with damage, and LMDB dies of some that it reads. All of the file is read, and
   * everybody waits for it: not when the core alone was lost, nor for want of room.
   */
  async #lookAgain(): Promise<void> {
    const found = findDatabase(join(this.#directory, DATABASE), []);
    if (found === null || found.isSound) return;
    await makeWhole(this.#directory, this.#journalBytes, found, this.#told);
    this.#journal.close();
    await this.#database.close();
    this.#open();
  }

  /** Of an empty one: all that could be read of another. */
  async fill(found: Survey): Promise<void> {
    const write = (): void => {
      for (const { key, value } of found.records())
        this.#carryOut({ tag: "put", val: { key, value: value ?? NOTHING } });
      if (found.hasLost) this.#carryOut({ tag: "put", val: { key: "", value: NOTHING } });
      for (const { position, value } of found.entries()) this.#journal.restore(position, value);
    };
    try {
      await this.#ended(this.#write(write));
    } catch (error) {
      throw this.#isStuck ? STUCK : await this.#explained(await causeOf(error));
    }
  }

  /** All that happened in this turn of the event loop shares a flush, which takes longer than most of it. */
  gather(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    if (this.#isStuck) throw STUCK;
    // A key that cannot be put would leave a part of the transaction behind.
    const long = changes.map(keyOf).find((key) => Buffer.byteLength(key) > LONGEST_KEY);
    if (long !== undefined) throw new Error(`write records: the key ${long} is too long`);
    this.journal.check(changes);
    try {
      await this.#ended(
        this.#write(() => {
          for (const change of changes) this.#carryOut(change);
        }),
      );
    } catch (error) {
      this.journal.forget();
      throw this.#isStuck ? STUCK : await this.#explained(await causeOf(error));
    }
  }

  async close(): Promise<void> {
    this.#journal.close();
    if (!this.#isStuck) await this.#database.close();
  }

  /** Written and flushed by a thread of the database's: this one goes on meanwhile. What fails there rejects this. */
  async #write(write: () => void): Promise<void> {
    await this.#database.batch(() => {
      write();
      this.journal.prune();
    });
    await this.#database.flushed;
  }

  async #ended(written: Promise<void>): Promise<void> {
    const limit = new AbortController();
    const late = sleep(LIMIT_MS, undefined, { ref: false, signal: limit.signal }).then(() => {
      this.#isStuck = true;
      throw STUCK;
    });
    late.catch(() => {});
    written.catch(() => {});
    await Promise.race([written, late]).finally(() => limit.abort());
  }

  #carryOut({ tag, val }: RecordChange): void {
    if (tag === "append") return this.journal.append(val);
    const kept = tag === "put" ? this.#database.put(val.key || LOST, val.value) : this.#database.remove(val || LOST);
    // What becomes of the whole transaction is waited for.
    kept.catch(() => {});
  }

  async #explained(error: unknown): Promise<Error> {
    const { bavail, bsize } = await statfs(this.#directory);
    const full = bavail * bsize < NO_ROOM;
    if (!full) this.#isDoubtful = true;
    const why = full ? "no space left on device" : error instanceof Error ? error.message : String(error);
    return new Error(`write records: ${why}`);
  }
}

const STUCK = new Error("write records: the database does not answer; start the engine anew");

const NOTHING = new Uint8Array();

/** The database itself has no empty keys. */
function lostWithoutKey(stored: engine.Stored): engine.Stored {
  return stored.key === LOST ? { ...stored, key: "" } : stored;
}

/** Empty for what has none. */
function keyOf({ tag, val }: RecordChange): string {
  if (tag === "append") return "";
  return tag === "put" ? val.key : val;
}

/** Of a commit that failed in the database's thread, what that met with. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}
