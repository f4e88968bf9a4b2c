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
    this.#database = open({ path: directory, encoding: "binary", cache: false, maxReaders: 8 });
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
      // Flushed to disk in this thread, before it returns. The database's own thread would do it too, but a commit that
      // fails there rejects more promises than the one that is waited for.
      this.#database.transactionSync(() => commands.forEach((command) => this.#carryOut(command)));
      await this.#database.flushed;
    } catch (error) {
      throw await this.#explained(error);
    }
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #carryOut(command: records.RecordCommand): void {
    if (command.tag === "put") this.#database.putSync(command.val.key, command.val.value);
    else this.#database.removeSync(command.val);
  }

  async #explained(error: unknown): Promise<HostFailure> {
    const { bavail, bsize } = await statfs(this.#directory);
    const full = bavail * bsize < NO_ROOM;
    const why = full ? "no space left on device" : error instanceof Error ? error.message : String(error);
    return new HostFailure(full ? "exhausted" : "internal", `write records: ${why}`);
  }
}
