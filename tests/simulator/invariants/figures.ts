// What records say of the room that things take up is what they do take up, wherever it counts as counted: GET /system/df
// is answered from that, also by an engine that has opened the records. At rest all of it has been counted.

import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, wordOf } from "../ledger.js";
import { Failures } from "./failures.js";
import type { AtRest, Invariant, Seen } from "./invariant.js";

const AT_REST = ["created", "exited"];

interface VolumeRecord {
  /** Missing while it waits to be counted. */
  size?: number;
}

export class Figures implements Invariant {
  /** Of containers by id, of volumes by name: they are counted again when something becomes of them. */
  readonly #uncounted = new Failures("measure");

  /** What has no figure that can be relied on: its record is older than its files. By name, or id, that figure. */
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
      if (!isCounted(container)) throw new Breach("figures", `what ${id} has written was not counted`);
    }
    const written = inUse(ledger);
    for (const name of ledger.keys("volume/")) {
      if (written.has(name) || this.#uncounted.has(name)) continue;
      if (sizeOf(ledger, name) === undefined) throw new Breach("figures", `volume ${name} was not counted`);
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

  /** What is not there, or gone while its record is about to go, takes up nothing: `owners.ts` looks at that. */
  #expectSame(what: string, name: string, recorded: number, held: number | null): void {
    if (held === null || recorded === held) return void this.#doubtful.delete(name);
    if (this.#isSpoilt) this.#doubtful.set(name, recorded);
    // Whoever counts anew counts right.
    if (this.#doubtful.get(name) === recorded) return;
    throw new Breach("figures", `${what} ${name} takes up ${held}, and ${recorded} by its record`);
  }
}

/** Nothing has run since, nor has anything been copied into it. */
function isCounted({ run, countedRun }: ContainerRecord): boolean {
  return run === countedRun;
}

/** Volumes of containers whose run is not counted yet: what is written there is told of as of the last sample. */
function inUse(ledger: Ledger): Set<string> {
  const uncounted = [...ledger.containers.values()].filter((container) => !isCounted(container));
  return new Set(uncounted.flatMap(({ mounts }) => mounts.map(({ name }) => name)));
}

function sizeOf(ledger: Ledger, volume: string): number | undefined {
  return ledger.json<VolumeRecord>(`volume/${volume}`)?.size;
}
