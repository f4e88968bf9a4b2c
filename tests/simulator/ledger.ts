// Tracks the engine's records after each step, as they will be once the step's transaction is committed.

import type { engine } from "../../hosts/shared/host.js";
import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { MOUNT_KINDS, STATUSES } from "../../build/core/enum-words.js";
import type { ContainerRecord, MountPointRecord } from "../../build/core/record-types.js";

export type { ContainerRecord };

/** Statuses of containers that have a process. */
export const RUNNING: readonly string[] = ["running", "paused"];

const decoder = new TextDecoder();

/** The name of the container's status, transitional ones included. */
export function wordOf(container: ContainerRecord): string {
  return STATUSES[container.status] ?? "?";
}

export function isVolume({ kind }: MountPointRecord): boolean {
  return MOUNT_KINDS[kind] === "volume";
}

/** Stored bytes never change, so each is parsed only once. */
const known = new WeakMap<Uint8Array, unknown>();

export function parsed(value: Uint8Array): unknown {
  const read = known.get(value) ?? (JSON.parse(decoder.decode(value)) as unknown);
  known.set(value, read);
  return read;
}

const DOCUMENT = /^(container|network|volume|image|layer)\//;

/** Whether a record that should be JSON is. */
export function isReadable({ key, value }: engine.Stored): boolean {
  if (key === "") return false;
  if (!DOCUMENT.test(key)) return true;
  try {
    parsed(value);
    return true;
  } catch {
    return false;
  }
}

export class Ledger {
  /** Records by key. */
  readonly records = new Map<string, Uint8Array>();
  /** Containers by id. */
  readonly containers = new Map<string, ContainerRecord>();
  /** Keys that the last step has put or deleted. */
  changed: string[] = [];
  /** The last records of the previous instance, whether they were committed or not. */
  before: ReadonlyMap<string, Uint8Array> = new Map();
  /** The values that each step of this instance has replaced, the oldest step first. */
  #replaced: Map<string, Uint8Array | undefined>[] = [];
  /** How many last steps of the previous instance were lost. Null if the stored records match none of its steps. */
  lost: number | null = 0;
  /** How often a record was put or deleted: what follows from the records alone is as it was if this is. */
  version = 0;
  /** Results of `keys`, while there are the same keys. */
  readonly #keys = new Map<string, readonly string[]>();

  opened(stored: readonly engine.Stored[]): void {
    this.before = new Map(this.records);
    this.lost = stepsLost(this.before, this.#replaced, stored);
    this.#replaced = [];
    this.records.clear();
    this.containers.clear();
    this.#keys.clear();
    this.version += 1;
    for (const { key, value } of stored) this.#put(key, value);
  }

  apply(commands: StepOutputs["records"]): void {
    this.changed = [];
    this.#replaced.push(new Map());
    for (const command of commands) {
      if (command.tag === "put") this.#put(command.val.key, command.val.value);
      else if (command.tag === "delete") this.#delete(command.val);
    }
  }

  /** The keys with this prefix, without it. */
  keys(prefix: string): readonly string[] {
    const known = this.#keys.get(prefix);
    if (known !== undefined) return known;
    const found: string[] = [];
    for (const key of this.records.keys()) if (key.startsWith(prefix)) found.push(key.slice(prefix.length));
    this.#keys.set(prefix, found);
    return found;
  }

  json<Value>(key: string): Value | undefined {
    const bytes = this.records.get(key);
    return bytes === undefined ? undefined : (parsed(bytes) as Value);
  }

  text(key: string): string {
    return decoder.decode(this.records.get(key));
  }

  /** The records in the form that `open` takes. */
  stored(): engine.Stored[] {
    return inOrder(this.records);
  }

  /** The same, without the last step's changes. */
  storedBefore(): engine.Stored[] {
    const records = new Map(this.records);
    undo(records, this.#replaced.at(-1) ?? new Map());
    return inOrder(records);
  }

  #put(key: string, value: Uint8Array): void {
    this.#keepOld(key);
    this.changed.push(key);
    this.version += 1;
    if (!this.records.has(key)) this.#keys.clear();
    this.records.set(key, value);
    if (!key.startsWith("container/")) return;
    const container = parsed(value) as ContainerRecord;
    this.containers.set(container.id, container);
  }

  #delete(key: string): void {
    this.#keepOld(key);
    this.changed.push(key);
    this.version += 1;
    this.#keys.clear();
    this.records.delete(key);
    if (key.startsWith("container/")) this.containers.delete(key.slice("container/".length));
  }

  #keepOld(key: string): void {
    const old = this.#replaced.at(-1);
    if (old !== undefined && !old.has(key)) old.set(key, this.records.get(key));
  }
}

/** Undoes steps, the newest first, until the records equal the stored ones. */
function stepsLost(
  newest: ReadonlyMap<string, Uint8Array>,
  replaced: readonly ReadonlyMap<string, Uint8Array | undefined>[],
  stored: readonly engine.Stored[],
): number | null {
  const records = new Map(newest);
  for (let lost = 0; ; lost++) {
    if (isSame(records, stored)) return lost;
    const undone = replaced.at(-1 - lost);
    if (undone === undefined) return null;
    undo(records, undone);
  }
}

function undo(records: Map<string, Uint8Array>, replaced: ReadonlyMap<string, Uint8Array | undefined>): void {
  for (const [key, value] of replaced) {
    if (value === undefined) records.delete(key);
    else records.set(key, value);
  }
}

function inOrder(records: ReadonlyMap<string, Uint8Array>): engine.Stored[] {
  return [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => ({ key, value }));
}

function isSame(records: ReadonlyMap<string, Uint8Array>, stored: readonly engine.Stored[]): boolean {
  return records.size === stored.length && stored.every(({ key, value }) => isEqual(records.get(key), value));
}

export function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  // Every record is compared at every step. A loop takes ten times as long, and `every` several times more.
  return one?.length === other.length && Buffer.compare(one, other) === 0;
}
