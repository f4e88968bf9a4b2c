// An exec as it stands on disk: all of it in one directory, below that of its run and gone with it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { types } from "../../hosts/shared/host.js";
import { specText } from "../launch/bundle.js";
import { makePrivate, removeAll, removeEmpty } from "../directories.js";
import { isAlive, processStat, type Run } from "../ends/run.js";

/** Names a process for good. */
interface Started {
  pid: number;
  /** See `FirstProcess`. */
  startTicks: number;
}

export interface StartedExec extends Started {
  /** Who writes its code; missing where that is the engine itself. */
  supervisor?: Started;
}

/** Of a process of which no more is known than that it has ended: none has started then. */
const ENDED_TICKS = -1;

/** A killed process's code, where nobody is left to tell it: 128 + SIGKILL. */
export const LOST_CODE = 137;

export class ExecPlace {
  readonly directory: string;
  /** `process` of the OCI runtime spec. */
  readonly spec: string;
  /** Written by the runtime, or the supervisor, once the process is made and its program was found. */
  readonly pidFile: string;
  /** What the runtime has to say itself. */
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

  /** The environment is in it. */
  make(process: object): void {
    makePrivate(this.directory);
    writeFileSync(this.spec, specText(process), { mode: 0o600 });
  }

  /** Undefined while there is none. */
  pid(): number | undefined {
    const pid = Number(this.#read("pid"));
    return pid > 0 ? pid : undefined;
  }

  /** So that it is found again. `supervisor`: its process id, if it has one. */
  writeStarted(pid: number, supervisor?: number): void {
    this.#writeNote(namedForGood(pid) ?? { pid, startTicks: ENDED_TICKS }, supervisor);
  }

  /** Of one that has ended already: its id may be another process's by now. */
  writeEnded(pid: number, supervisor?: number): void {
    this.#writeNote({ pid, startTicks: ENDED_TICKS }, supervisor);
  }

  #writeNote(process: Started, supervisor: number | undefined): void {
    const watched = supervisor === undefined ? undefined : namedForGood(supervisor);
    // Nobody is left who would tell more of it than stands here.
    if (process.startTicks === ENDED_TICKS && watched === undefined) return;
    this.#write("started.json", JSON.stringify({ ...process, supervisor: watched }));
  }

  started(): StartedExec | undefined {
    try {
      return JSON.parse(this.#read("started.json")) as StartedExec;
    } catch {
      return undefined; // not yet, or cut short by a crash
    }
  }

  /** Or its supervisor does, and has not written its code yet. */
  get isAlive(): boolean {
    const started = this.started();
    if (started === undefined) return false;
    if (isAlive(started)) return true;
    return started.supervisor !== undefined && isAlive(started.supervisor) && this.exitCode() === undefined;
  }

  /** The code that a supervisor has left, or the engine that it was a child of. */
  exitCode(): number | undefined {
    const text = this.#read("exit");
    return text === "" ? undefined : Number(text);
  }

  /**
   * For another engine, should this one be killed before it has told. Where there is no room for it, it is left out: this
   * one knows the code, and tells.
   */
  writeExit(code: number): void {
    try {
      this.#write("exit", String(code));
    } catch {
      // See above.
    }
  }

  /** Of one that is not alive: how it ended, as far as that is known. Undefined for one that never came to run. */
  exit(): types.Exit | undefined {
    const code = this.exitCode();
    if (code === undefined && this.started() === undefined && this.pid() === undefined) return undefined;
    const at = BigInt(Date.now()) * 1_000_000n;
    return { code: code ?? LOST_CODE, outOfMemory: false, lost: code === undefined, at };
  }

  /** The runtime's own errors, without their decoration. */
  errors(): string {
    const lines = this.#read("runtime.log").split("\n").filter(Boolean);
    return lines.map(messageOf).filter(Boolean).join("; ");
  }

  async remove(): Promise<void> {
    await removeAll(this.directory);
    await removeEmpty(execsOf(this.run));
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.directory, name), "utf8").trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
  }

  #write(name: string, text: string): void {
    try {
      writeFileSync(join(this.directory, name), text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // cleared away meanwhile
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

/** Warnings are none. */
function messageOf(line: string): string {
  try {
    const { level, msg } = JSON.parse(line) as { level?: string; msg?: string };
    return level === "error" || level === "fatal" ? (msg ?? "") : "";
  } catch {
    return line;
  }
}
