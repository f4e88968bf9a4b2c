// Finds supervisors and OCI runtimes by their command lines, which contain the name of their run. After a crash in the
// middle of a launch nothing else leads to them. Since anybody may write a name on a command line, the programs are
// checked, too.

import { readFileSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import type { Kernel } from "../kernel.js";
import { runsSealed } from "../launch/sealed-program.js";
import { parseRunName } from "../paths.js";
import type { Run } from "./run.js";

/** A process whose command line names a run. */
export interface Naming {
  pid: number;
  line: string[];
}

const SIGKILL = 9;

/** All such processes outside containers, by name of run. Reads all of /proc, so it is not for the common path. */
export function findNaming(): Map<string, Naming[]> {
  const found = new Map<string, Naming[]>();
  for (const pid of readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)) {
    const line = commandLine(pid);
    const name = line.slice(1).find((arg) => parseRunName(arg));
    if (!name || pid === process.pid || !isInOurNamespaces(pid)) continue;
    found.set(name, [...(found.get(name) ?? []), { pid, line }]);
  }
  return found;
}

/** Whether the process is the supervisor of the run itself, not of an exec in it. `conmon`: path of its program. */
export function isSupervisor({ pid, line }: Naming, conmon: string): boolean {
  return !line.includes("--exec") && runsConmon(pid, conmon);
}

/** Whether the process is the supervisor of an exec. */
export function isExecSupervisor({ pid, line }: Naming, conmon: string): boolean {
  return line.includes("--exec") && runsConmon(pid, conmon);
}

/** Kills the processes that work on a run, so that nobody is left to make or start its process. */
export function killNaming(run: Run, at: { kernel: Kernel; conmon: string }): void {
  const runtime = run.note()?.runtime.path;
  const isOurs = (naming: Naming) =>
    runsConmon(naming.pid, at.conmon) || (runtime !== undefined && isRuntime(naming, runtime));
  // A process that is killed may just have forked another one.
  for (let round = 0; round < 10; round++) {
    const found = findNaming().get(run.name)?.filter(isOurs) ?? [];
    if (found.length === 0) return;
    for (const { pid } of found)
      try {
        at.kernel.kill(pid, SIGKILL);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
  }
}

/**
 * The executable may differ: a script runs an interpreter, runtimes run copies of themselves (CVE-2019-5736), and a
 * shell may be about to start the runtime.
 */
function isRuntime({ pid, line }: Naming, path: string): boolean {
  return line.slice(0, 4).includes(path) || runs(pid, path) || runsSealed(pid, "runtime");
}

/** The supervisor may have been started by another engine, from the disk or from memory. */
function runsConmon(pid: number, path: string): boolean {
  return runsSealed(pid, "supervisor") || runs(pid, path);
}

/** Whether a process runs that program, or its predecessor from before an upgrade (proc_pid_exe(5)). */
function runs(pid: number, path: string): boolean {
  try {
    const exe = `/proc/${pid}/exe`;
    const [theirs, ours] = [statSync(exe, { bigint: true }), statSync(path, { bigint: true })];
    if (theirs.dev === ours.dev && theirs.ino === ours.ino) return true;
    return readlinkSync(exe) === `${realpathSync(path)} (deleted)`;
  } catch {
    return false; // ended meanwhile, or no such program
  }
}

/**
 * A container's processes have a pid namespace of their own, or a user namespace, unless it was made with `--pid=host`.
 * Then its root could fake a supervisor, as it could kill the real ones.
 */
function isInOurNamespaces(pid: number): boolean {
  try {
    return ["pid", "user"].every(
      (kind) => readlinkSync(`/proc/${pid}/ns/${kind}`) === readlinkSync(`/proc/self/ns/${kind}`),
    );
  } catch {
    return false; // ended meanwhile
  }
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // ended meanwhile
  }
}
