// What a daemon's memory comes to without garbage: what a process has of the machine's memory goes up and down by far more
// than what a leak of some kilobytes in each of thousands comes to.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause, until } from "./commands.js";
import type { DaemonProcess } from "./daemon-process.js";

/** Flags of Node for a daemon that is to be asked. */
export const PROBED: readonly string[] = ["--require", fileURLToPath(new URL("memory-probe.cjs", import.meta.url))];

/** Bytes in use. */
export interface InUse {
  /** JavaScript's objects. */
  objects: number;
  /** What they hold beside, save the core's memory: typed arrays, for the most part. */
  others: number;
  /** Of the core's memory what is in use: as a whole it doubles when it grows, and never shrinks. */
  core: number;
}

/** Once garbage has been collected and nothing is being worked off any more. */
export async function collectedMemory(daemon: DaemonProcess): Promise<InUse> {
  for (let last = await asked(daemon); ;) {
    await pause(CALM_MS);
    const now = await asked(daemon);
    if (sum(now) >= sum(last)) return last;
    last = now;
  }
}

/** By how much values taken at even distances grow from one to the next: the middle one of all slopes between two. */
export function slopeOf(values: readonly number[]): number {
  const slopes = values.flatMap((late, at) => values.slice(0, at).map((early, from) => (late - early) / (at - from)));
  return slopes.sort((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? 0;
}

function sum({ objects, others, core }: InUse): number {
  return objects + others + core;
}

/** An engine that rests collects its core's garbage sooner. */
const CALM_MS = 300;

async function asked(daemon: DaemonProcess): Promise<InUse> {
  const file = join(tmpdir(), `coracle-memory-${daemon.pid()}`);
  process.kill(daemon.pid(), "SIGUSR2");
  await until("the daemon to tell of its memory", async () => existsSync(file));
  const told = JSON.parse(readFileSync(file, "utf8")) as InUse;
  rmSync(file);
  return told;
}
