// Realtime for groups (Linux sched-rt-group.rst, cgroup v1 only): a group can have no more of it than the group above it,
// and groups are made without any. So the engine's own group gets as much as its containers are to have.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Resources } from "../launch/devices.js";

const PERIOD = "cpu.rt_period_us";
const RUNTIME = "cpu.rt_runtime_us";
/** What the kernel has where none is given, in microseconds. */
const DEFAULT_PERIOD = 1_000_000;

/**
 * Lets a container have the realtime of its spec. `parent`: the engine's group in the cpu controller's hierarchy; `name`:
 * the container's group in it. Throws what the kernel says when the machine has no more to give.
 */
export function grantRealtime(parent: string, name: string, { realtimePeriod, realtimeRuntime }: Realtime): void {
  if (!realtimeRuntime) return;
  mkdirSync(parent, { recursive: true });
  const others = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const shares = others.filter((entry) => entry.name !== name).map((entry) => shareOf(join(parent, entry.name)));
  const wanted = shares.reduce((sum, share) => sum + share, realtimeRuntime / (realtimePeriod || DEFAULT_PERIOD));
  if (wanted <= shareOf(parent)) return;
  writeFileSync(join(parent, RUNTIME), String(Math.ceil(wanted * read(parent, PERIOD))));
}

/**
 * Of a group that is about to be removed: until every processor has taken notice of that (RCU), the kernel counts what
 * it had, and has nothing for the next one.
 */
export function returnRealtime(group: string): void {
  if (!(read(group, RUNTIME) > 0)) return;
  try {
    writeFileSync(join(group, RUNTIME), "0");
  } catch {
    // Somebody in it needs it: then it is not removed either. Or it has gone meanwhile.
  }
}

type Realtime = NonNullable<Resources["cpu"]>;

function shareOf(group: string): number {
  return read(group, RUNTIME) / read(group, PERIOD);
}

/** A group that has gone meanwhile has none. */
function read(group: string, file: string): number {
  try {
    return Number(readFileSync(join(group, file), "utf8"));
  } catch {
    return file === PERIOD ? DEFAULT_PERIOD : 0;
  }
}
