// Members of records that may be behind what the engine knows, as long as no client is told of them.

import type { engine } from "../../hosts/shared/host.js";

/** Of a container's. */
const LATE = ["health", "manuallyStopped", "disarmed"];

interface Container {
  run: number;
  countedRun: number;
  /** Those that are volumes have names. */
  mounts: { name: string }[];
}

/** `records`: as memory has them. What is held may be behind until it has been counted behind the run, once for all. */
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

/** While it runs or is between two statuses, its run is a new one. */
function isCounted({ run, countedRun }: Container): boolean {
  return run === countedRun;
}

/** What is kept of a record is not written to: it is read once. */
const known = new WeakMap<Uint8Array, Container>();

function parsed(value: Uint8Array): Container {
  const read = known.get(value) ?? (JSON.parse(new TextDecoder().decode(value)) as Container);
  known.set(value, read);
  return read;
}
