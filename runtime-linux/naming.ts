// Supervisors and OCI runtimes carry the name of their run on their command lines: so they are found when nothing else
// tells of them, after a crash in the middle of a launch.

import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import type { Kernel } from "./kernel.js";
import { parseRunName } from "./paths.js";

/** A process at work on a run. */
export interface Naming {
  pid: number;
  /** Name of its program: `conmon`, `crun` … */
  program: string;
}

const SIGKILL = 9;

/** All of them, by name of run. Reads the whole of /proc: not for the common path. */
export function findNaming(): Map<string, Naming[]> {
  const found = new Map<string, Naming[]>();
  for (const pid of readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)) {
    const [program = "", ...args] = commandLine(pid);
    const name = args.find((arg) => parseRunName(arg));
    if (!name || pid === process.pid) continue;
    found.set(name, [...(found.get(name) ?? []), { pid, program: basename(program) }]);
  }
  return found;
}

/** Kills those of one run: nobody is left who could make or start its process. */
export function killNaming(name: string, kernel: Kernel): void {
  // What is killed may just have forked another.
  for (let round = 0; round < 10; round++) {
    const found = findNaming().get(name) ?? [];
    if (found.length === 0) return;
    for (const { pid } of found)
      try {
        kernel.kill(pid, SIGKILL);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
  }
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // ended meanwhile
  }
}
