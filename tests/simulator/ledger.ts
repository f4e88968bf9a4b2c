// What the engine's records say after each step, as it will be once the step's transaction is kept.

import type { engine } from "../../hosts/shared/host.js";
import type { StepOutputs } from "../../hosts/shared/outputs.js";
import { STATUSES } from "../../build/core/statuses.js";

/** A container's record, as far as the invariants need it. */
export interface ContainerRecord {
  id: string;
  name: string;
  imageId: string;
  chain?: string;
  status: number;
  run: number;
  everRan: boolean;
  /** The kernel has killed in this run for want of it. */
  outOfMemory: boolean;
  /** How often it was told that the kernel killed for memory in this run. */
  memoryKills?: number;
  exitCode: number;
  /** Why its last start failed; empty if it did not. */
  error: string;
  autoRemove: boolean;
  /** It was being made. */
  creating?: boolean;
  unclean: boolean;
  /** Bytes, as they were counted last: behind that run if it has ended. */
  written: number;
  countedRun: number;
  networkMode: string;
  mounts: { kind: number; name: string; anonymous: boolean }[];
  endpoint?: { address: string; ports: { hostAddress: string; hostPort: number; protocol: string }[] };
}

/** `MountKind` of core/assembly/container/mounts/mount-point.ts. */
export const MOUNTED_VOLUME = 1;

/** Of those whose process is there. */
export const RUNNING: readonly string[] = ["running", "paused"];

const decoder = new TextDecoder();

/** The word of the container's status, in-between ones included. */
export function wordOf(container: ContainerRecord): string {
  return STATUSES[container.status] ?? "?";
}

/** What is kept is not written to: it is read once. */
const known = new WeakMap<Uint8Array, unknown>();

export function parsed(value: Uint8Array): unknown {
  const read = known.get(value) ?? (JSON.parse(decoder.decode(value)) as unknown);
  known.set(value, read);
  return read;
}

const DOCUMENT = /^(container|network|volume|image|layer)\//;

/** It is what such a record is to be, as far as anybody who is told of it reads it. */
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
  /** By key. */
  readonly records = new Map<string, Uint8Array>();
  /** By id. */
  readonly containers = new Map<string, ContainerRecord>();
  /** Keys that the last step has put or deleted. */
  changed: string[] = [];
  /** Of the instance before: all that it had asked to keep, kept or not. */
  before: ReadonlyMap<string, Uint8Array> = new Map();
  /** What each step since the instance was opened has taken the place of, the oldest first. */
  #replaced: Map<string, Uint8Array | undefined>[] = [];
  /** How many of the last steps of the instance before were not kept; null: what is there is not of any of its steps. */
  lost: number | null = 0;

  opened(stored: readonly engine.Stored[]): void {
    this.before = new Map(this.records);
    this.lost = stepsLost(this.before, this.#replaced, stored);
    this.#replaced = [];
    this.records.clear();
    this.containers.clear();
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

  /** Keys that begin so, without that. */
  keys(prefix: string): string[] {
    return [...this.records.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  json<Value>(key: string): Value | undefined {
    const bytes = this.records.get(key);
    return bytes === undefined ? undefined : (parsed(bytes) as Value);
  }

  text(key: string): string {
    return decoder.decode(this.records.get(key));
  }

  /** As `open` takes them. */
  stored(): engine.Stored[] {
    return inOrder(this.records);
  }

  /** The same, without what the last step has changed. */
  storedBefore(): engine.Stored[] {
    const records = new Map(this.records);
    undo(records, this.#replaced.at(-1) ?? new Map());
    return inOrder(records);
  }

  #put(key: string, value: Uint8Array): void {
    this.#keepOld(key);
    this.changed.push(key);
    this.records.set(key, value);
    if (!key.startsWith("container/")) return;
    const container = parsed(value) as ContainerRecord;
    this.containers.set(container.id, container);
  }

  #delete(key: string): void {
    this.#keepOld(key);
    this.changed.push(key);
    this.records.delete(key);
    if (key.startsWith("container/")) this.containers.delete(key.slice("container/".length));
  }

  #keepOld(key: string): void {
    const old = this.#replaced.at(-1);
    if (old !== undefined && !old.has(key)) old.set(key, this.records.get(key));
  }
}

/** Undoes steps, the newest first, until the records are those that are there. */
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
  // Each record is compared at each step: a loop takes ten times as long, and `every` several times more.
  return one?.length === other.length && Buffer.compare(one, other) === 0;
}
