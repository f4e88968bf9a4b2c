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
    this.#timer ??= setInterval(() => this.#lookAtAll(true), POLL_MS).unref();
    setImmediate(() => this.#look(run.name, true)); // it may have ended before the watch began
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

  /**
   * Looks at one run for each change, since an engine may find hundreds. If the machine has no watch to spare
   * (inotify(7)), ends are reported a little later.
   */
  #watch(): FSWatcher | undefined {
    try {
      const changed = (_: string, name: string | null) =>
        name === null ? this.#lookAtAll(false) : this.#look(name, false);
      return watch(this.#directory, { persistent: false }, changed).on("error", () => {});
    } catch {
      return undefined;
    }
  }

  #lookAtAll(supervisors: boolean): void {
    for (const name of [...this.#adopted.keys()]) this.#look(name, supervisors);
  }

  /** Does nothing for the name of another file. */
  #look(name: string, supervisors: boolean): void {
    const adopted = this.#adopted.get(name);
    if (adopted === undefined || !hasEnded(adopted.run, supervisors ? adopted.supervisor : undefined)) return;
    this.forget(adopted.run);
    adopted.ended();
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
