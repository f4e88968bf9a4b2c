// Records in memory: what was flushed stays, whatever becomes of the engine.

import { HostFailure } from "../failure.js";
import type { RecordStore, engine, records } from "../host.js";
import type { FaultSource } from "./faults.js";

export class WorldRecords implements RecordStore {
  readonly #kept = new Map<string, Uint8Array>();
  readonly #faults: FaultSource;

  constructor(faults: FaultSource) {
    this.#faults = faults;
  }

  async load(): Promise<engine.Stored[]> {
    const stored = [...this.#kept].map(([key, value]) => ({ key, value: value.slice() }));
    return stored.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async commit(commands: records.RecordCommand[]): Promise<void> {
    if (this.#faults.strike("records-full") !== null) {
      throw new HostFailure("exhausted", "Error: No space left on device");
    }
    for (const command of commands) {
      if (command.tag === "put") this.#kept.set(command.val.key, command.val.value.slice());
      else this.#kept.delete(command.val);
    }
  }

  /** What is kept stays, for the next engine. */
  async close(): Promise<void> {}
}
