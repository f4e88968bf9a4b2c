// One run of a container as it is on disk. A launch writes it before anything else, and a restart reads it.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { types } from "../../hosts/shared/index.js";
import { namesIn } from "../directories.js";
import { hadMemoryKills } from "../cgroups/memory-kills.js";
import { runName, type Paths } from "../paths.js";
import type { Runtime } from "../launch/runtimes.js";

/** How a run was launched, as needed to control it and clean it up. */
export interface RunNote {
  runtime: Pick<Runtime, "name" | "path" | "kind">;
  /** The spec has hooks. Only the runtime itself calls them. */
  hooks: boolean;
  tty: boolean;
  openStdin: boolean;
  stdinOnce: boolean;
  /** Missing in runs that were launched before logs had limits. */
  log?: LogNote;
}

/** How much of the log is kept; 0 bytes: all of it. */
export interface LogNote {
  fileBytes: number;
  files: number;
  compressed: boolean;
  /** The log is removed along with the run. */
  passing: boolean;
}

/** The first process of a run. Written before the process is started. */
export interface FirstProcess {
  pid: number;
  /**
   * Start time in clock ticks since boot (proc_pid_stat(5)). Together with the pid it identifies a process uniquely.
   */
  startTicks: number;
  /** Nanoseconds since 1970, as text. */
  at: string;
}

export class Run {
  readonly name: string;
  /** Contains the bundle, sockets and files. */
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

  /** Undefined if the note is not written yet, or if the run was cleaned up. */
  note(): RunNote | undefined {
    return readJson<RunNote>(join(this.directory, "launch.json"));
  }

  writeProcess(process: FirstProcess): void {
    writeFileSync(join(this.directory, "process.json"), JSON.stringify(process));
  }

  process(): FirstProcess | undefined {
    return readJson<FirstProcess>(join(this.directory, "process.json"));
  }

  /** State of an OCI runtime for this run alone; there is none unless the run is in memory (mounts/run-memory.ts). */
  get ownState(): string {
    return join(this.directory, "runtime");
  }

  /** State of the OCI runtime that has the run (`--root`). */
  root(runtime: Pick<Runtime, "name">): string {
    return existsSync(this.ownState) ? this.ownState : this.#paths.runtime(runtime.name);
  }

  /** The directory where a runtime keeps the state of this run, for runtimes with a known layout. */
  state(runtime: Pick<Runtime, "name">): string {
    return join(this.root(runtime), this.name);
  }

  /** The fifo at which a created process waits. It disappears when the process is started. */
  gate(runtime: Pick<Runtime, "name">): string {
    return join(this.state(runtime), "exec.fifo");
  }

  /** For runtimes that leave no sign on disk. */
  markStarted(): void {
    writeFileSync(join(this.directory, "started"), "");
  }

  /** The process has been started. */
  isStarted(note: RunNote): boolean {
    if (existsSync(join(this.directory, "started"))) return true;
    return (
      note.runtime.kind !== "other" && existsSync(this.state(note.runtime)) && !existsSync(this.gate(note.runtime))
    );
  }

  /** Whether no later run exists. If so, the container's cgroup and log belong to this one. */
  isLast(): boolean {
    return !namesIn(this.#paths.runs(this.container)).some((name) => Number(name) > this.number);
  }

  /** The supervisor has written how it ended. */
  get hasExit(): boolean {
    return (statSync(join(this.#paths.exits(), this.name), { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /** What the supervisor wrote at the end; undefined before that. */
  exit(): types.Exit | undefined {
    const file = join(this.#paths.exits(), this.name);
    const text = readText(file);
    if (!text) return undefined;
    const { mtimeNs } = statSync(file, { bigint: true });
    const startedAt = BigInt(this.process()?.at ?? 0);
    // File times come from a coarser clock, so a short run could seem to end before it began.
    const at = mtimeNs > startedAt ? mtimeNs : startedAt;
    return { code: Number(text), outOfMemory: hadMemoryKills(this.directory), lost: false, at };
  }
}

/** Whether the process is alive and is still the same one. A zombie is not alive. */
export function isAlive({ pid, startTicks }: Pick<FirstProcess, "pid" | "startTicks">): boolean {
  const stat = processStat(pid);
  return stat?.startTicks === startTicks && stat.state !== "Z" && stat.state !== "X";
}

/**
 * Whether the process is alive and not on its way out. After the first process of a pid namespace was killed, it exists
 * until all others in the namespace are gone. Meanwhile no process can start there, and one that is being started is
 * killed too (pid_namespaces(7)).
 */
export function isLiving(process: Pick<FirstProcess, "pid" | "startTicks">): boolean {
  return isAlive(process) && ((processStat(process.pid)?.flags ?? PF_EXITING) & PF_EXITING) === 0;
}

/** A kernel flag of a process: it is exiting. */
const PF_EXITING = 4;

/** From /proc/PID/stat; undefined if there is no such process. */
export function processStat(pid: number): { state: string; flags: number; startTicks: number } | undefined {
  const text = readText(`/proc/${pid}/stat`);
  // The program's name is in parentheses and may contain anything.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields && { state: fields[0]!, flags: Number(fields[6]), startTicks: Number(fields[19]) };
}

function readJson<T>(path: string): T | undefined {
  const text = readText(path);
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined; // a crash cut the file short: treat it as missing
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
