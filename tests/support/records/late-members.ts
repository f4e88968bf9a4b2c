// Fields of records that may lag behind the engine's state, because no client has seen the newer value.

import type { engine } from "../../../hosts/shared/host.js";

/** Fields of a container. */
const LATE = ["health", "manuallyStopped", "disarmed"];

interface Container {
  run: number;
  countedRun: number;
  /** Mounts of volumes have names. */
  mounts: { name: string }[];
}

/** `records`: as in memory. Sizes may lag until they are counted once after the run. */
export function lateMembers({ key, value }: engine.Stored, records: readonly engine.Stored[]): string[] {
  if (key.startsWith("container/")) return isCounted(parsed(value)) ? LATE : [...LATE, "written"];
  if (!key.startsWith("volume/")) return [];
  const name = key.slice("volume/".length);
  return uncounted(records).some(({ mounts }) => mounts.some((mount) => mount.name === name)) ? ["size"] : [];
}

function uncounted(records: readonly engine.Stored[]): Container[] {
  const containers = records.filter(({ key }) => key.startsWith("container/"));
  return containers.map(({ value }) => parsed(value)).filter((container) => !isCounted(container));
}

/** While it runs or changes its status, its run counts as a new one. */
function isCounted({ run, countedRun }: Container): boolean {
  return run === countedRun;
}

/** Kept bytes are never written to, so each record is parsed once. */
const known = new WeakMap<Uint8Array, Container>();

function parsed(value: Uint8Array): Container {
  const read = known.get(value) ?? (JSON.parse(new TextDecoder().decode(value)) as Container);
  known.set(value, read);
  return read;
}
