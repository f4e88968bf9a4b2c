// Realtime scheduling for groups (Linux sched-rt-group.rst, cgroup v1 only). A group cannot have more realtime than its
// parent, and a new group has none. So the engine's own group gets as much as its containers need.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Resources } from "../launch/devices.js";

const PERIOD = "cpu.rt_period_us";
const RUNTIME = "cpu.rt_runtime_us";
/** The kernel's period if none is given, in microseconds. */
const DEFAULT_PERIOD = 1_000_000;

/**
 * Gives a container the realtime of its spec. `parent` is the engine's group in the cpu controller's hierarchy; `name`
 * is the container's group in it. If the machine has no more to give, it throws the kernel's error.
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
 * Takes realtime back from a group that is about to be removed. Otherwise the kernel still counts it until every
 * processor has taken notice of the removal (RCU), and the next group gets nothing.
 */
export function returnRealtime(group: string): void {
  if (!(read(group, RUNTIME) > 0)) return;
  try {
    writeFileSync(join(group, RUNTIME), "0");
  } catch {
    // A process in the group needs it, so the group will not be removed either. Or the group has gone meanwhile.
  }
}

type Realtime = NonNullable<Resources["cpu"]>;

function shareOf(group: string): number {
  return read(group, RUNTIME) / read(group, PERIOD);
}

/** A group that has gone meanwhile has 0. */
function read(group: string, file: string): number {
  try {
    return Number(readFileSync(join(group, file), "utf8"));
  } catch {
    return file === PERIOD ? DEFAULT_PERIOD : 0;
  }
}
