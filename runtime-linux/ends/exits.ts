// Ends of runs that another instance of the engine launched: their supervisors are not our children.

import { watch, type FSWatcher } from "node:fs";
import { isAlive, type FirstProcess, type Run } from "./run.js";

/** Looks for supervisors that were killed: nothing tells of that. */
const POLL_MS = 1000;

interface Adopted {
  run: Run;
  supervisor: Pick<FirstProcess, "pid" | "startTicks">;
  ended: () => void;
}

export class ExitWatch {
  readonly #directory: string;
  readonly #adopted = new Map<string, Adopted>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `directory`: where the supervisors leave exit codes. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Calls `ended` once: when the exit code is there, or there is nobody left to write it. */
  adopt(run: Run, supervisor: Adopted["supervisor"], ended: () => void): void {
    this.#adopted.set(run.name, { run, supervisor, ended });
    this.#watcher ??= this.#watch();
    this.#timer ??= setInterval(() => this.#look(true), POLL_MS).unref();
    setImmediate(() => this.#look(true)); // it may have ended before it was watched
  }

  forget(run: Run): void {
    this.#adopted.delete(run.name);
    if (this.#adopted.size === 0) this.close();
  }

  close(): void {
    this.#watcher?.close();
    clearInterval(this.#timer);
    this.#watcher = this.#timer = undefined;
  }

  /** Where the machine has no watch to spare (inotify(7)) an end is told a little later. */
  #watch(): FSWatcher | undefined {
    try {
      return watch(this.#directory, { persistent: false }, () => this.#look(false)).on("error", () => {});
    } catch {
      return undefined;
    }
  }

  #look(supervisors: boolean): void {
    for (const { run, supervisor, ended } of [...this.#adopted.values()])
      if (hasEnded(run, supervisors ? supervisor : undefined)) {
        this.forget(run);
        ended();
      }
  }
}

/** What cannot be read now, without a descriptor to spare, is looked at again. */
function hasEnded(run: Run, supervisor: Adopted["supervisor"] | undefined): boolean {
  try {
    return run.exit() !== undefined || (supervisor !== undefined && !isAlive(supervisor));
  } catch {
    return false;
  }
}
