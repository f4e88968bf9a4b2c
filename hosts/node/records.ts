// Durable records in an embedded database (LMDB).

import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import type * as Lmdb from "lmdb";
import { HostFailure } from "../failure.js";
import type { RecordStore, engine, records } from "../host.js";

/** Opens the database in a directory, which is made if it is missing. */
export function openRecords(directory: string): RecordStore {
  return new LmdbRecords(directory);
}

/** Below so much free space a failed write is taken to have failed for lack of it: LMDB itself only says EIO. */
const NO_ROOM = 1024 * 1024;

/** Room that the database keeps for itself, in bytes, so that records can be changed when the disk is full. */
const RESERVE = 1024 * 1024;

class LmdbRecords implements RecordStore {
  readonly #directory: string;
  readonly #database: Lmdb.RootDatabase<Uint8Array, string>;

  constructor(directory: string) {
    this.#directory = directory;
    // What is read is read once, at start: nothing is gained by caches or many readers.
    const { open } = createRequire(import.meta.url)("lmdb") as typeof Lmdb;
    // Without batches of the database's own making there is no promise of one that nobody waits for.
    const mine = { eventTurnBatching: false, cache: false, maxReaders: 8 };
    this.#database = open({ path: directory, encoding: "binary", ...mine });
    this.#reserve();
  }

  /** What is put and taken away leaves free pages inside the file: LMDB never gives them back. */
  #reserve(): void {
    try {
      this.#database.putSync("reserve", new Uint8Array(RESERVE));
      this.#database.removeSync("reserve");
    } catch {
      // No room for it: then it was made at an earlier start, or there never was any.
    }
  }

  async load(): Promise<engine.Stored[]> {
    return [...this.#database.getRange({ snapshot: true })].map(({ key, value }) => ({ key, value }));
  }

  /** All that happened in this turn of the event loop shares a flush, which takes longer than most of it. */
  gather(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async commit(commands: records.RecordCommand[]): Promise<void> {
    try {
      // Written and flushed by a thread of the database's: this one goes on meanwhile. What fails there rejects this.
      await this.#database.batch(() => commands.forEach((command) => this.#carryOut(command)));
      await this.#database.flushed;
    } catch (error) {
      throw await this.#explained(await causeOf(error));
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #carryOut(command: records.RecordCommand): void {
    const { tag, val } = command;
    const kept = tag === "put" ? this.#database.put(val.key, val.value) : this.#database.remove(val);
    // What becomes of the whole transaction is waited for.
    kept.catch(() => {});
  }

  async #explained(error: unknown): Promise<HostFailure> {
    const { bavail, bsize } = await statfs(this.#directory);
    const full = bavail * bsize < NO_ROOM;
    const why = full ? "no space left on device" : error instanceof Error ? error.message : String(error);
    return new HostFailure(full ? "exhausted" : "internal", `write records: ${why}`);
  }
}

/** Of a commit that failed in the database's thread, what that met with. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> };
  return commitError === undefined ? error : commitError.catch((cause: unknown) => cause);
}
