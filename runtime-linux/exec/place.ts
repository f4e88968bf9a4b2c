// An exec as it is on disk. It has one directory, below its run's, which is removed along with the run.

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { types } from "../../hosts/shared/index.js";
import { specText } from "../launch/spec-text.js";
import { makePrivate, removeAll, removeEmpty } from "../directories.js";
import { isAlive, processStat, type Run } from "../ends/run.js";

/** Identifies a process uniquely. */
interface Started {
  pid: number;
  /** See `FirstProcess`. */
  startTicks: number;
}

export interface StartedExec extends Started {
  /** The process that writes the exit code; missing if the engine itself does. */
  supervisor?: Started;
}

/** For a process that is only known to have ended. No process starts at this time. */
const ENDED_TICKS = -1;

/** The exit code of a killed process if nobody is left to report it: 128 + SIGKILL. */
export const LOST_CODE = 137;

export class ExecPlace {
  readonly directory: string;
  /** `process` of the OCI runtime spec. */
  readonly spec: string;
  /** The runtime or the supervisor writes it once the process is made and its program was found. */
  readonly pidFile: string;
  /** The runtime's own log. */
  readonly log: string;

  constructor(
    readonly run: Run,
    readonly exec: string,
  ) {
    this.directory = join(execsOf(run), exec);
    this.spec = join(this.directory, "process.json");
    this.pidFile = join(this.directory, "pid");
    this.log = join(this.directory, "runtime.log");
  }

  /** Private, because the spec contains the environment. */
  make(process: object): void {
    makePrivate(this.directory);
    writeFileSync(this.spec, specText(process), { mode: 0o600 });
  }

  /** Undefined if there is none yet. */
  pid(): number | undefined {
    const pid = Number(this.#read("pid"));
    return pid > 0 ? pid : undefined;
  }

  /** Writes the process down, so that it can be found again. `supervisor`: its process id, if there is one. */
  writeStarted(pid: number, supervisor?: number): void {
    this.#writeNote(namedForGood(pid) ?? { pid, startTicks: ENDED_TICKS }, supervisor);
  }

  /** For a process that has ended already: another one may have its id by now. */
  writeEnded(pid: number, supervisor?: number): void {
    this.#writeNote({ pid, startTicks: ENDED_TICKS }, supervisor);
  }

  #writeNote(process: Started, supervisor: number | undefined): void {
    const watched = supervisor === undefined ? undefined : namedForGood(supervisor);
    // Nobody is left who could add more than these files say.
    if (process.startTicks === ENDED_TICKS && watched === undefined) return;
    this.#write("started.json", JSON.stringify({ ...process, supervisor: watched }));
  }

  started(): StartedExec | undefined {
    try {
      return JSON.parse(this.#read("started.json")) as StartedExec;
    } catch {
      return undefined; // not written yet, or cut short by a crash
    }
  }

  /** Whether the process is alive, or its supervisor, which then has not written the code yet. */
  get isAlive(): boolean {
    const started = this.started();
    if (started === undefined) return false;
    if (isAlive(started)) return true;
    return started.supervisor !== undefined && isAlive(started.supervisor) && this.exitCode() === undefined;
  }

  /** The exit code that the supervisor wrote, or the engine that was its parent. */
  exitCode(): number | undefined {
    const text = this.#read("exit");
    return text === "" ? undefined : Number(text);
  }

  /**
   * For the next engine, in case this one is killed before it has reported the code. If the disk has no room, the code
   * is not written; this engine knows it and reports it anyway.
   */
  writeExit(code: number): void {
    try {
      this.#write("exit", String(code));
    } catch {
      // No room on the disk: see above.
    }
  }

  /** How an exec that is not alive has ended, as far as known. Undefined if it never ran. */
  exit(): types.Exit | undefined {
    const code = this.exitCode();
    if (code === undefined && this.started() === undefined && this.pid() === undefined) return undefined;
    const at = BigInt(Date.now()) * 1_000_000n;
    return { code: code ?? LOST_CODE, outOfMemory: false, lost: code === undefined, at };
  }

  /** The runtime's own errors, without time stamps and levels. */
  errors(): string {
    const lines = this.#read("runtime.log").split("\n").filter(Boolean);
    return lines.map(messageOf).filter(Boolean).join("; ");
  }

  async remove(): Promise<void> {
    await removeAll(this.directory);
    await removeEmpty(execsOf(this.run));
  }

  /** Empty if it is not there; any other error is thrown. Looking first costs far less than Node's error. */
  #read(name: string): string {
    const path = join(this.directory, name);
    try {
      return statSync(path, { throwIfNoEntry: false }) ? readFileSync(path, "utf8").trim() : "";
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
  }

  #write(name: string, text: string): void {
    try {
      writeFileSync(join(this.directory, name), text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // cleaned up meanwhile
    }
  }
}

function namedForGood(pid: number): Started | undefined {
  const startTicks = processStat(pid)?.startTicks;
  return startTicks === undefined ? undefined : { pid, startTicks };
}

/** The directory of all execs of a run. */
export function execsOf(run: Run): string {
  return join(run.directory, "execs");
}

/** Empty for a warning. */
function messageOf(line: string): string {
  try {
    const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
    return level === "error" || level === "fatal" ? (msg ?? "") : "";
  } catch {
    return line;
  }
}
