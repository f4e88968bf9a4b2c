// Checks the recorded disk usage: a size that counts as measured equals the real one. GET /system/df is answered from
// these records, also after a restart. At rest, everything has been measured.

import type { VolumeRecord } from "../../../build/core/record-types.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../ledger.js";
import { Failures } from "./failures.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";
import { SET_ASIDE } from "./spared.js";

const AT_REST = ["created", "exited"];

export class Figures implements Invariant {
  /** Failed measurements, by a container's id or a volume's name. They are repeated when the object changes. */
  readonly #uncounted = new Failures("measure");

  /** Unreliable sizes, by name or id: the record is older than the files, because the disk lost newer ones. */
  readonly #doubtful = new Map<string, number>();
  #isSpoilt = false;

  stepped(seen: Seen): void {
    this.#uncounted.stepped(seen);
    this.#hold(seen);
    this.#isSpoilt = false;
  }

  spoilt(): void {
    this.#isSpoilt = true;
  }

  rested({ ledger, held }: AtRest): void {
    this.#hold({ ledger, held });
    for (const container of ledger.containers.values()) {
      const { id } = container;
      if (!AT_REST.includes(wordOf(container)) || container.unclean || this.#uncounted.has(id)) continue;
      if (!isCounted(container)) throw new Breach("figures", `the size of container ${id} was not measured`);
    }
    const written = inUse(ledger);
    for (const name of ledger.keys("volume/")) {
      if (written.has(name) || this.#uncounted.has(name) || hasOptions(ledger, name)) continue;
      // A size alone does not replace a damaged record.
      if (ledger.records.has(`${SET_ASIDE}volume/${name}`)) continue;
      if (sizeOf(ledger, name) === undefined)
        throw new Breach("figures", `the size of volume ${name} was not measured`);
    }
  }

  /** Throws a `Breach`. */
  #hold({ ledger, held }: Pick<AtRest, "ledger" | "held">): void {
    for (const container of ledger.containers.values()) {
      if (!AT_REST.includes(wordOf(container)) || !isCounted(container)) continue;
      this.#expectSame("container", container.id, container.written, held.sizeOf(container.id));
    }
    const written = inUse(ledger);
    for (const name of ledger.keys("volume/")) {
      const size = sizeOf(ledger, name);
      if (size !== undefined && !written.has(name)) this.#expectSame("volume", name, size, held.sizeOfVolume(name));
    }
  }

  /** An object that does not exist has no size to compare. `owners.ts` checks whether it may be missing. */
  #expectSame(what: string, name: string, recorded: number, held: number | null): void {
    if (held === null || recorded === held) return void this.#doubtful.delete(name);
    if (this.#isSpoilt) this.#doubtful.set(name, recorded);
    // The old size is excused until the next measurement.
    if (this.#doubtful.get(name) === recorded) return;
    throw new Breach("figures", `${what} ${name} has ${held} bytes, but ${recorded} in its record`);
  }
}

/** Whether nothing has run in it, or was copied into it, since the measurement. */
function isCounted({ run, countedRun }: ContainerRecord): boolean {
  return run === countedRun;
}

/** Volumes of containers that were not measured after their last run: their sizes are from the last sample. */
function inUse(ledger: Ledger): Set<string> {
  const uncounted = [...ledger.containers.values()].filter((container) => !isCounted(container));
  return new Set(uncounted.flatMap(({ mounts }) => mounts.map(({ name }) => name)));
}

/** Its files may be elsewhere, so they are not measured. */
function hasOptions(ledger: Ledger, volume: string): boolean {
  return ledger.json<VolumeRecord>(`volume/${volume}`)?.options !== undefined;
}

function sizeOf(ledger: Ledger, volume: string): number | undefined {
  return ledger.json<VolumeRecord>(`volume/${volume}`)?.size;
}
