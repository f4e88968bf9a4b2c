// An exec as it stands on disk: all of it in one directory, below that of its run and gone with it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivate, removeAll, removeEmpty } from "../directories.js";
import { isAlive, processStat, type Run } from "../run.js";

/** Names a process for good. */
export interface StartedExec {
  pid: number;
  /** See `FirstProcess`. */
  startTicks: number;
}

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
    writeFileSync(this.spec, JSON.stringify(process), { mode: 0o600 });
  }

  /** Undefined while there is none. */
  pid(): number | undefined {
    const pid = Number(this.#read("pid"));
    return pid > 0 ? pid : undefined;
  }

  /** So that it is found again. One that has ended already is not. */
  writeStarted(pid: number): void {
    const startTicks = processStat(pid)?.startTicks;
    if (startTicks !== undefined) this.#write("started.json", JSON.stringify({ pid, startTicks }));
  }

  started(): StartedExec | undefined {
    try {
      return JSON.parse(this.#read("started.json")) as StartedExec;
    } catch {
      return undefined; // not yet, or cut short by a crash
    }
  }

  get isAlive(): boolean {
    const started = this.started();
    return started !== undefined && isAlive(started);
  }

  /** The code that a supervisor has left. */
  exitCode(): number | undefined {
    const text = this.#read("exit");
    return text === "" ? undefined : Number(text);
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
