// One run of a container as it stands on disk: written before anything else of a launch, read after a restart.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { types } from "../../hosts/shared/host.js";
import { namesIn } from "../directories.js";
import { hadMemoryKills } from "../cgroups/memory-kills.js";
import { runName, type Paths } from "../paths.js";
import type { Runtime } from "../launch/runtimes.js";

/** How a run was launched: what is needed to talk to it and to clear it away. */
export interface RunNote {
  runtime: Pick<Runtime, "name" | "path" | "kind">;
  /** Hooks of the spec are called by the runtime itself only. */
  hooks: boolean;
  tty: boolean;
  openStdin: boolean;
  stdinOnce: boolean;
  /** Missing of runs that were launched before logs were bounded. */
  log?: LogNote;
}

/** How much of the log is kept; 0 bytes: all. */
export interface LogNote {
  fileBytes: number;
  files: number;
  compressed: boolean;
  /** It goes with the run. */
  passing: boolean;
}

/** The first process of a run. Written before it is started. */
export interface FirstProcess {
  pid: number;
  /** Start time in clock ticks since boot (proc_pid_stat(5)): with the pid it names a process for good. */
  startTicks: number;
  /** Nanoseconds since 1970, as text. */
  at: string;
}

export class Run {
  readonly name: string;
  /** Bundle, sockets and files. */
  readonly directory: string;
  readonly #paths: Paths;

  constructor(
    paths: Paths,
    readonly container: string,
    readonly number: number,
  ) {
    this.#paths = paths;
    this.name = runName(container, number);
    this.directory = paths.run(container, number);
  }

  writeNote(note: RunNote): void {
    writeFileSync(join(this.directory, "launch.json"), JSON.stringify(note));
  }

  /** Undefined before the note was written, or when the run was cleared. */
  note(): RunNote | undefined {
    return readJson<RunNote>(join(this.directory, "launch.json"));
  }

  writeProcess(process: FirstProcess): void {
    writeFileSync(join(this.directory, "process.json"), JSON.stringify(process));
  }

  process(): FirstProcess | undefined {
    return readJson<FirstProcess>(join(this.directory, "process.json"));
  }

  /** Directory of the runtime's state of this run, for runtimes whose layout is known. */
  state(runtime: Pick<Runtime, "name">): string {
    return join(this.#paths.runtime(runtime.name), this.name);
  }

  /** The fifo at which a created process waits; it is gone once the process was started. */
  gate(runtime: Pick<Runtime, "name">): string {
    return join(this.state(runtime), "exec.fifo");
  }

  /** For runtimes that say nothing on disk. */
  markStarted(): void {
    writeFileSync(join(this.directory, "started"), "");
  }

  /** The process was let go. */
  isStarted(note: RunNote): boolean {
    if (existsSync(join(this.directory, "started"))) return true;
    return (
      note.runtime.kind !== "other" && existsSync(this.state(note.runtime)) && !existsSync(this.gate(note.runtime))
    );
  }

  /** Nothing of a later one is there: what is the container's and not a run's, its cgroup and its log, is this one's. */
  isLast(): boolean {
    return !namesIn(this.#paths.runs(this.container)).some((name) => Number(name) > this.number);
  }

  /** What the supervisor wrote at the end; undefined before that. */
  exit(): types.Exit | undefined {
    const file = join(this.#paths.exits(), this.name);
    const text = readText(file);
    if (!text) return undefined;
    const { mtimeNs } = statSync(file, { bigint: true });
    const startedAt = BigInt(this.process()?.at ?? 0);
    // Files are stamped by a coarser clock: a short life would end before it began.
    const at = mtimeNs > startedAt ? mtimeNs : startedAt;
    return { code: Number(text), outOfMemory: hadMemoryKills(this.directory), lost: false, at };
  }
}

/** Whether the process lives and is the one meant. A zombie does not live. */
export function isAlive({ pid, startTicks }: Pick<FirstProcess, "pid" | "startTicks">): boolean {
  const stat = processStat(pid);
  return stat?.startTicks === startTicks && stat.state !== "Z" && stat.state !== "X";
}

/**
 * Whether it lives and goes on living. The first process of a pid namespace that was killed is there until all others in
 * it are gone: nothing can be started there any more, and what was being started is killed too (pid_namespaces(7)).
 */
export function isLiving(process: Pick<FirstProcess, "pid" | "startTicks">): boolean {
  return isAlive(process) && ((processStat(process.pid)?.flags ?? PF_EXITING) & PF_EXITING) === 0;
}

/** Of the kernel's flags of a process: it is on its way out. */
const PF_EXITING = 4;

/** Of /proc/PID/stat; undefined when there is no such process. */
export function processStat(pid: number): { state: string; flags: number; startTicks: number } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The program's name, in parentheses, may hold anything.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields && { state: fields[0]!, flags: Number(fields[6]), startTicks: Number(fields[19]) };
}

function readJson<T>(path: string): T | undefined {
  const text = readText(path);
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined; // cut short by a crash: as if it had not been written
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
