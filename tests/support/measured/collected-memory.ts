// Measures a daemon's memory without garbage. The resident memory of a process varies far more than a leak of a few
// kilobytes in each of thousands of operations.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause, until } from "../commands.js";
import type { DaemonProcess } from "../daemon-process.js";

/** Node flags for a daemon whose memory will be measured. */
export const PROBED: readonly string[] = ["--require", fileURLToPath(new URL("memory-probe.cjs", import.meta.url))];

/** Bytes in use. */
export interface InUse {
  /** JavaScript's objects, without machine code. */
  objects: number;
  /** Memory outside the JavaScript heap without the core's memory: mostly typed arrays. */
  others: number;
  /** The used part of the core's memory. The whole memory doubles when it grows, and never shrinks. */
  core: number;
}

/** Measures after garbage collection, when no work is left. */
export async function collectedMemory(daemon: DaemonProcess): Promise<InUse> {
  for (let last = await asked(daemon); ;) {
    await pause(CALM_MS);
    const now = await asked(daemon);
    if (sum(now) >= sum(last)) return last;
    last = now;
  }
}

/** The growth per step of values taken at even intervals: the median of the slopes between all pairs. */
export function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((late, at) => values.slice(0, at).map((early, from) => (late - early) / (at - from)));
  return slopes.sort((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? 0;
}

function sum({ objects, others, core }: InUse): number {
  return objects + others + core;
}

/** An idle engine collects its core's garbage sooner. */
const CALM_MS = 300;

async function asked(daemon: DaemonProcess): Promise<InUse> {
  const file = join(tmpdir(), `coracle-memory-${daemon.pid()}`);
  process.kill(daemon.pid(), "SIGUSR2");
  await until("the daemon to tell of its memory", async () => existsSync(file));
  const told = JSON.parse(readFileSync(file, "utf8")) as InUse;
  rmSync(file);
  return told;
}
