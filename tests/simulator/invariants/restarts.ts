// Checks restarts at any point of a step. The records must be those after one of the earlier steps. Each container that
// was settled and matches its record must be shown unchanged.

import type { engine } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import { type ContainerRecord, type Ledger, isEqual, parsed, wordOf } from "../ledger.js";
import type { Spares } from "../spares.js";
import type { Invariant, Seen } from "./invariant.js";
import { LISTS, Questions, isSettled, movedIn, same } from "./questions.js";

/** Each container shows its networks. */
const NETWORKS = "network/";
/** A network shows its used addresses. */
const ADDRESSES = "/networks/";

export class Restarts implements Invariant {
  readonly #spares: Spares;
  /** Takes a snapshot of the newest instance that has finished a step. */
  #snapshot: (() => Uint8Array) | null = null;
  /** Whether stored data was lost or damaged before the next instance is opened. */
  #isSpoilt = false;

  constructor(spares: Spares) {
    this.#spares = spares;
  }

  stepped(seen: Seen): void {
    // An instance without further inputs keeps the state after its last step.
    if (seen.opening !== null && this.#snapshot !== null) this.#compare(seen, seen.opening, this.#snapshot());
    this.#snapshot = seen.snapshot;
    if (seen.opening !== null) this.#isSpoilt = false;
  }

  /** Only objects whose records are complete can be compared then. */
  spoilt(): void {
    this.#isSpoilt = true;
  }

  #compare(seen: Seen, { inventory }: { inventory: engine.Inventory }, before: Uint8Array): void {
    const { ledger, now, notes } = seen;
    if (this.#isSpoilt && !areKept(ledger, NETWORKS)) return;
    if (ledger.lost === null && !this.#isSpoilt)
      throw new Breach("restart", "the records do not match any step of the previous instance");
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

/** Two instances. The second was opened from the records that the first has left. */
export interface Restart {
  memory: Questions;
  records: Questions;
  /** Containers that the new instance has moved when it was opened. */
  moved: ReadonlySet<string>;
  /** Whether all records of the old instance were committed. */
  isWhole: boolean;
  /** The records of the new instance. */
  kept: Ledger;
  /** All records of the old instance, whether they were committed or not. */
  before: ReadonlyMap<string, Uint8Array>;
  /** The processes that the new instance has found. */
  processes: readonly engine.FoundProcess[];
}

/** Throws a `Breach` if the new instance shows a settled object differently. */
export function compareRestart(rule: string, { memory, records, moved, isWhole, ...left }: Restart): void {
  const { kept, before, processes } = left;
  for (const container of kept.containers.values()) {
    const { id } = container;
    if (moved.has(id) || !isSettled(container, processes) || isKilledSince(before, container, processes)) continue;
    // Records may be lost of other containers that this container shows.
    if (!isWhole && !(isKept(kept, before, id) && isAlone(kept, id))) continue;
    same(rule, `container ${id} (${wordOf(container)})`, memory, records, `/containers/${id}/json`);
  }
  if (!isWhole || moved.size > 0) return;
  for (const list of LISTS) {
    if (list.startsWith(ADDRESSES) && (holdsDamaged(before) || holdsDamaged(kept.records))) continue;
    same(rule, list, memory, records, list);
  }
}

/** Whether a container's record is damaged. Only the machine knows the container's address then. */
function holdsDamaged(records: ReadonlyMap<string, unknown>): boolean {
  return [...records.keys()].some((key) => key.startsWith("damaged/container/"));
}

/** Whether the kernel has killed processes for lack of memory without the knowledge of the old instance. */
function isKilledSince(
  before: Restart["before"],
  { id, run }: ContainerRecord,
  processes: Restart["processes"],
): boolean {
  const record = before.get(`container/${id}`);
  const { memoryKills = 0 } = (record === undefined ? {} : parsed(record)) as Partial<ContainerRecord>;
  return processes.some((one) => one.container === id && one.run === run && one.memoryKills > memoryKills);
}

/** Whether the container's last record was committed. */
function isKept(kept: Ledger, before: Restart["before"], id: string): boolean {
  const key = `container/${id}`;
  return isEqual(before.get(key), kept.records.get(key)!);
}

/** Whether all records with this prefix were committed. */
function areKept({ records, before }: Ledger, prefix: string): boolean {
  const keys = [...before.keys(), ...records.keys()].filter((key) => key.startsWith(prefix));
  return keys.every((key) => records.has(key) && isEqual(before.get(key), records.get(key)!));
}

const BUILT_IN = ["default", "bridge", "host", "none"];

/** Whether its inspect shows nothing of other containers, nor of networks that come and go. */
function isAlone(ledger: Ledger, id: string): boolean {
  const { links = [], endpoints } = ledger.json<ContainerRecord & { links?: unknown[] }>(`container/${id}`)!;
  return links.length === 0 && endpoints.every(({ network }) => BUILT_IN.includes(network));
}
