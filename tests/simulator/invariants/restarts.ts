// A restart, wherever in a step the one before was cut off: the records are those after one of its steps, and whoever was
// settled then and is as its record says is what it was.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, isEqual, parsed, wordOf } from "../ledger.js";
import type { Spares } from "../spares.js";
import type { Invariant, Seen } from "./invariant.js";
import { LISTS, Questions, isSettled, movedIn, same } from "./questions.js";

/** Each container shows its own. */
const NETWORKS = "network/";
/** It is shown how many are in use. */
const ADDRESSES = "/networks/";

export class Restarts implements Invariant {
  readonly #spares: Spares;
  /** Of the newest instance that has come to the end of a step. */
  #snapshot: (() => Uint8Array) | null = null;
  /** What the next one is opened with is not what this one has told to be kept. */
  #isSpoilt = false;

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  stepped(seen: Seen): void {
    // An instance that takes in nothing more stays as it is after its last step.
    if (seen.opening !== null && this.#snapshot !== null) this.#compare(seen, seen.opening, this.#snapshot());
    this.#snapshot = seen.snapshot;
    if (seen.opening !== null) this.#isSpoilt = false;
  }

  /** Of what the one before has told only that can be said of which all is there. */
  spoilt(): void {
    this.#isSpoilt = true;
  }

  #compare(seen: Seen, { inventory }: { inventory: engine.Inventory }, before: Uint8Array): void {
    const { ledger, now, notes } = seen;
    if (this.#isSpoilt && !areKept(ledger, NETWORKS)) return;
    if (ledger.lost === null && !this.#isSpoilt)
      throw new Breach("restart", "the records are not those after a step of the one before");
    const [older, newer] = [this.#spares.take(), this.#spares.take()];
    older.restore(before);
    newer.restore(seen.snapshot());
    compareRestart("restart", {
      ...{ memory: new Questions(older, now), records: new Questions(newer, now) },
      ...{ moved: movedIn(notes), isWhole: ledger.lost === 0 && !this.#isSpoilt },
      ...{ kept: ledger, before: ledger.before, processes: inventory.processes },
    });
    for (const instance of [older, newer]) this.#spares.give(instance);
  }
}

/** Two instances, one opened from what the other left. */
export interface Restart {
  memory: Questions;
  records: Questions;
  /** Whom the newer one has moved as it was opened. */
  moved: ReadonlySet<string>;
  /** All records that the older one has asked to keep were kept. */
  isWhole: boolean;
  /** That the newer one has opened. */
  kept: Ledger;
  /** All that the older one had asked to keep. */
  before: ReadonlyMap<string, Uint8Array>;
  /** That the newer one has found. */
  processes: readonly engine.FoundProcess[];
}

/** Throws a `Breach` where the newer one does not say the same of what is settled. */
export function compareRestart(rule: string, { memory, records, moved, isWhole, ...left }: Restart): void {
  const { kept, before, processes } = left;
  for (const container of kept.containers.values()) {
    const { id } = container;
    if (moved.has(id) || !isSettled(container, processes) || isKilledSince(before, container, processes)) continue;
    // What shows of others may be in what was lost.
    if (!isWhole && !(isKept(kept, before, id) && isAlone(kept, id))) continue;
    same(rule, `container ${id} (${wordOf(container)})`, memory, records, `/containers/${id}/json`);
  }
  if (!isWhole || moved.size > 0) return;
  for (const list of LISTS) {
    if (list.startsWith(ADDRESSES) && (holdsDamaged(before) || holdsDamaged(kept.records))) continue;
    same(rule, list, memory, records, list);
  }
}

/** Of one whose record is damaged the machine alone knows the address, for as long as it is there. */
function holdsDamaged(records: ReadonlyMap<string, unknown>): boolean {
  return [...records.keys()].some((key) => key.startsWith("damaged/container/"));
}

/** The kernel has killed for memory, and the older one had not heard of it. */
function isKilledSince(
  before: Restart["before"],
  { id, run }: ContainerRecord,
  processes: Restart["processes"],
): boolean {
  const record = before.get(`container/${id}`);
  const { memoryKills = 0 } = (record === undefined ? {} : parsed(record)) as Partial<ContainerRecord>;
  return processes.some((one) => one.container === id && one.run === run && one.memoryKills > memoryKills);
}

/** Nothing that the one before had asked to keep of it was lost. */
function isKept(kept: Ledger, before: Restart["before"], id: string): boolean {
  const key = `container/${id}`;
  return isEqual(before.get(key), kept.records.get(key)!);
}

/** All whose keys begin so. */
function areKept({ records, before }: Ledger, prefix: string): boolean {
  const keys = [...before.keys(), ...records.keys()].filter((key) => key.startsWith(prefix));
  return keys.every((key) => records.has(key) && isEqual(before.get(key), records.get(key)!));
}

/** Inspect shows nothing of other containers. */
function isAlone(ledger: Ledger, id: string): boolean {
  const { networkMode, links = [] } = ledger.json<{ networkMode: string; links?: unknown[] }>(`container/${id}`)!;
  return links.length === 0 && !networkMode.startsWith("container:");
}
