// Watches for the ends of runs that an earlier instance of the engine launched. Their supervisors are not our children.

import { watch, type FSWatcher } from "node:fs";
import { isAlive, type FirstProcess, type Run } from "./run.js";

/** How often to look for supervisors that were killed. The kernel does not report that. */
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

  /** `directory`: where supervisors leave exit codes. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Calls `ended` once: when the exit code is there, or when nobody is left to write it. */
  adopt(run: Run, supervisor: Adopted["supervisor"], ended: () => void): void {
    this.#adopted.set(run.name, { run, supervisor, ended });
    this.#watcher ??= this.#watch();
    this.#timer ??= setInterval(() => this.#look(true), POLL_MS).unref();
    setImmediate(() => this.#look(true)); // it may have ended before the watch began
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

  /** If the machine has no watch to spare (inotify(7)), ends are reported a little later. */
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

/** If there is no descriptor to spare, this says no, and the next look tries again. */
function hasEnded(run: Run, supervisor: Adopted["supervisor"] | undefined): boolean {
  try {
    return run.exit() !== undefined || (supervisor !== undefined && !isAlive(supervisor));
  } catch {
    return false;
  }
}
