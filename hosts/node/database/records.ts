// Durable records and the journal in an embedded database (LMDB). A transaction's pages are written and flushed. Then
// one of two alternating meta pages, which makes them valid, is written through (`O_DSYNC`). Only then is the
// transaction reported as durable. So a power loss at any moment keeps everything reported, and of a later transaction
// everything or nothing. LMDB opens a file only if all of it is sound. A damaged file is kept beside a new one, which
// gets everything that can be read of it.

import { rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Lmdb from "lmdb";
import { JOURNAL_BYTES, NO_SPACE, Unwritten } from "../../shared/index.js";
import type { RecordChange, RecordStore, engine } from "../../shared/index.js";
import { makePrivate, syncPath } from "../../../runtime-linux/directories.js";
import { within } from "../../../runtime-linux/within.js";
import { isJournal, JOURNAL, LOST, RESERVE_KEY } from "./names.js";
import { keepDamaged, putInPlace, type DamageTold } from "./replacement.js";
import type { Survey } from "./survey.js";
import { findDatabase } from "./database-file.js";
import { LmdbJournal } from "./journal.js";

export interface MappedRecords extends RecordStore {
  /** The file that is mapped. Null while another thread may map it elsewhere. */
  readonly quietFile: string | null;
}

/**
 * Opens the database in a directory, which is made if it is missing. Other users cannot read it, since records contain
 * environments. `journalBytes`: the journal's limit. `owned`: directories whose contents have owners that only the
 * records tell. `told`: called for a damaged database.
 */
export async function openRecords(
  directory: string,
  journalBytes: number = JOURNAL_BYTES,
  owned: readonly string[] = [],
  told: DamageTold = () => {},
): Promise<MappedRecords> {
  makePrivate(directory);
  const found = findDatabase(join(directory, DATABASE), owned);
  const isSound = found !== null && found.isSound;
  if (!isSound) await makeWhole(directory, journalBytes, found, told);
  const records = new LmdbRecords(directory, journalBytes, told, isSound ? found : null);
  // This engine can see data that a killed engine did not flush. So flush it before anybody learns of it.
  await syncPath(join(directory, DATABASE));
  return records;
}

/**
 * The database appears with its first pages flushed: if a crash cut them off, it could not be opened again. `damaged`:
 * what can be read of the database that it replaces.
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
    throw new Error(`${file} is damaged, and a new one cannot be made: ${why}`);
  }
  if (damaged !== null) await keepDamaged(directory, DATABASE, damaged, told);
  await putInPlace(draft, directory, DATABASE);
}

/** LMDB crashes if the disk has no room for its lock file. */
async function needRoom(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < NEW_BYTES + 2 * bytes) throw new Error(NO_SPACE);
}

function sizeOfAll(found: Survey): number {
  const values = [...found.records(), ...found.entries()].map(({ value }) => value);
  return values.reduce((sum, value) => sum + (value?.length ?? 0) + PER_VALUE, 0);
}

/** The size of a new database with its reserve, and the overhead of a value. */
const NEW_BYTES = 3 * 1024 * 1024;
const PER_VALUE = 128;

/** LMDB's own name for the file. */
const DATABASE = "data.mdb";

/** With less free space than this, a failed write counts as "disk full": LMDB itself only says EIO. */
const NO_ROOM = 1024 * 1024;

/** A commit that takes longer will never end: LMDB accepts none after it once failed to write its own pages. */
const LIMIT_MS = 60_000;

/** In bytes (LMDB's own limit). */
const LONGEST_KEY = 1978;

/** Bytes that the database reserves, so that records can still change when the disk is full. */
const RESERVE = 1024 * 1024;

class LmdbRecords implements MappedRecords {
  readonly #directory: string;
  readonly #journalBytes: number;
  readonly #told: DamageTold;
  #database!: Lmdb.RootDatabase<Uint8Array, string>;
  #journal!: LmdbJournal;
  /** Transactions and the like, which may map the file elsewhere. */
  #underWay = 0;
  /** A commit has not ended: its outcome is unknown until the database is opened again. */
  #isStuck = false;
  /** Something failed for an unknown reason: the file may have been damaged since it was checked. */
  #isDoubtful = false;
  /** What the check of the file has read, until it is loaded: reading it again would take as long. */
  #read: Survey | null;

  constructor(directory: string, journalBytes: number, told: DamageTold, read: Survey | null = null) {
    this.#directory = directory;
    this.#journalBytes = journalBytes;
    this.#told = told;
    this.#read = read;
    this.#open();
  }

  get journal(): LmdbJournal {
    return this.#journal;
  }

  get quietFile(): string | null {
    return this.#underWay > 0 ? null : join(this.#directory, DATABASE);
  }

  #open(): void {
    // Data is read only once, at the start. So caches and many readers would gain nothing.
    const { open } = createRequire(import.meta.url)("lmdb") as typeof Lmdb;
    // lmdb-js's own batches would create promises that nobody awaits. With overlapping flushes, data could be seen
    // before it is flushed, and the flush could fail.
    const mine = { eventTurnBatching: false, overlappingSync: false, cache: false, maxReaders: 8 };
    this.#database = open({ path: this.#directory, encoding: "binary", ...mine });
    const numbered = { name: JOURNAL, encoding: "binary", cache: false } as const;
    this.#journal = new LmdbJournal(this.#database.openDB<Uint8Array, number>(numbered), this.#journalBytes);
    this.#reserve();
  }

  /** Writing and removing this value leaves free pages in the file: LMDB never gives them back. */
  #reserve(): void {
    try {
      this.#database.putSync(RESERVE_KEY, new Uint8Array(RESERVE));
      this.#database.removeSync(RESERVE_KEY);
    } catch {
      // No room: then an earlier start has made the reserve, or there never was one.
    }
  }

  async load(): Promise<engine.Stored[]> {
    if (this.#isStuck) throw STUCK;
    const read = this.#read;
    this.#read = null;
    if (read !== null) return read.marked().map(({ key, value }) => lostWithoutKey({ key, value: value ?? NOTHING }));
    if (this.#isDoubtful) await this.#lookAgain();
    this.#isDoubtful = true;
    const stored = [...this.#database.getRange({ snapshot: true })].map(({ key, value }) => ({ key, value }));
    this.#isDoubtful = false;
    // The reserve value may still be there, if there was no room to remove it.
    return stored.filter(({ key }) => !isJournal(key) && key !== RESERVE_KEY).map(lostWithoutKey);
  }

  /**
   * A failed transaction may have met damage, and LMDB crashes on some damaged pages when it reads them. This reads the
   * whole file, and everybody waits for it. So it is not done if only the core was lost, or if the disk was full.
   */
  async #lookAgain(): Promise<void> {
    const found = findDatabase(join(this.#directory, DATABASE), []);
    if (found === null || found.isSound) return;
    this.#underWay++;
    await makeWhole(this.#directory, this.#journalBytes, found, this.#told);
    this.#journal.close();
    await this.#database.close();
    this.#open();
    this.#underWay--;
  }

  /** For an empty database: adds everything that could be read of another. */
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

  /** All changes in this turn of the event loop share one flush, which takes longer than most of them. */
  gather(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async commit(changes: RecordChange[]): Promise<void> {
    if (this.#isStuck) throw STUCK;
    this.#read = null;
    // A key that is too long would leave part of the transaction behind.
    const long = changes.map(keyOf).find((key) => Buffer.byteLength(key) > LONGEST_KEY);
    if (long !== undefined) throw new Unwritten(`the key ${long} is too long`);
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
    this.#underWay++;
    this.#journal.close();
    if (!this.#isStuck) await this.#database.close();
  }

  /** A thread of the database writes and flushes while this one goes on. A failure there rejects this promise. */
  async #write(write: () => void): Promise<void> {
    this.#underWay++;
    try {
      await this.#database.batch(() => {
        write();
        this.journal.prune();
      });
      await this.#database.flushed;
    } finally {
      this.#underWay--;
    }
  }

  async #ended(written: Promise<void>): Promise<void> {
    await within(written, LIMIT_MS, () => {
      this.#isStuck = true;
      return STUCK;
    });
  }

  #carryOut({ tag, val }: RecordChange): void {
    if (tag === "append") return this.journal.append(val);
    const kept = tag === "put" ? this.#database.put(val.key || LOST, val.value) : this.#database.remove(val || LOST);
    // The result of the whole transaction is awaited instead.
    kept.catch(() => {});
  }

  async #explained(error: unknown): Promise<Error> {
    const { bavail, bsize } = await statfs(this.#directory);
    const full = bavail * bsize < NO_ROOM;
    if (!full) this.#isDoubtful = true;
    const why = full ? NO_SPACE : error instanceof Error ? error.message : String(error);
    return new Unwritten(why);
  }
}

const STUCK = new Unwritten("the database does not answer; restart the engine");

const NOTHING = new Uint8Array();

/** The database itself has no empty keys. */
function lostWithoutKey(stored: engine.Stored): engine.Stored {
  return stored.key === LOST ? { ...stored, key: "" } : stored;
}

/** Empty if the change has no key. */
function keyOf({ tag, val }: RecordChange): string {
  if (tag === "append") return "";
  return tag === "put" ? val.key : val;
}

/** The cause of a commit that failed in the database's thread. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}
