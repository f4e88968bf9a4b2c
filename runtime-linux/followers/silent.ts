// Ends a process that does not answer any more, so that another one can have what it holds.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The file with the number of the process that listens at the control socket. */
const PID = "pid";
/** How long the kernel may take to end a killed process. */
const END_MS = 1000;
const LOOK_MS = 2;

export function writePid(directory: string): void {
  writeFileSync(join(directory, PID), String(process.pid));
}

export function removePid(directory: string): void {
  rmSync(join(directory, PID), { force: true });
}

/** Kills the process that follows the files of this directory. Resolves when it is gone, or cannot be ended. */
export async function endSilent(directory: string): Promise<void> {
  const pid = Number(read(join(directory, PID)));
  if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return;
  // A number of a process that has ended may be another one's now.
  if (!read(`/proc/${pid}/cmdline`).split("\0").includes(directory)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return; // it has ended, or is another user's
  }
  await gone(pid);
}

/** Resolves when the process has closed its files, or not soon. Its thread with its number may end before others do. */
export async function gone(pid: number): Promise<void> {
  const end = performance.now() + END_MS;
  while (isThere(pid) && performance.now() < end) await sleep(LOOK_MS);
}

function isThere(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const hasEnded = /^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
    return !hasEnded || readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Empty if there is no such file. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
