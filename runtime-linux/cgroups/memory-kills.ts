// Out-of-memory kills. A run's supervisor creates a file when the kernel tells it that the container's group is short
// of memory. If the file exists, the supervisor does not touch it. So we rename the file after we have seen it. The
// kernel keeps the number of kills.

import { existsSync, renameSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { Cgroups } from "./cgroups.js";
import { readText, table } from "../sample/text.js";

/** The part of a run that matters here. */
interface Noticed {
  name: string;
  container: string;
  directory: string;
}

interface Watched {
  watcher: FSWatcher | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Reports new kills. */
  look: () => void;
}

/** The file that conmon creates, and its name after we have seen it. */
const NOTICE = "oom";
const SEEN = "oom.seen";

/** cgroup v1 sends the notice before it kills. So the first look comes a little later, and more follow. */
const FIRST_LOOK_MS = 10;
const LOOKS = 10;

/** Whether the supervisor has noticed any kill in this run. */
export function hadMemoryKills(directory: string): boolean {
  return existsSync(join(directory, NOTICE)) || existsSync(join(directory, SEEN));
}

/** Reports kills as they are noticed. */
export class MemoryKills {
  readonly #cgroups: Pick<Cgroups, "controller" | "file">;
  readonly #watched = new Map<string, Watched>();

  constructor(cgroups: Pick<Cgroups, "controller" | "file">) {
    this.#cgroups = cgroups;
  }

  /** Kills in this run. A group whose OOM killer is off has none, so its shortage counts as one. */
  count({ container, directory }: Noticed): number {
    return hadMemoryKills(directory) ? Math.max(1, this.#counted(container)) : 0;
  }

  /** Calls `told` with the count whenever it grows. */
  watch(run: Noticed, told: (kills: number) => void): void {
    let known = 0;
    const look = (): void => {
      const count = this.#seen(run);
      if (count <= known) return;
      known = count;
      told(count);
    };
    this.forget(run);
    const watched: Watched = { look, watcher: undefined, timer: undefined };
    watched.watcher = watcherOf(run.directory, () => lookFor(watched, LOOKS));
    this.#watched.set(run.name, watched);
    look();
  }

  /** The run has ended: reports what is new now, and nothing after that. */
  ended(run: Noticed): void {
    this.#watched.get(run.name)?.look();
    this.forget(run);
  }

  forget({ name }: Pick<Noticed, "name">): void {
    const watched = this.#watched.get(name);
    this.#watched.delete(name);
    watched?.watcher?.close();
    clearTimeout(watched?.timer);
  }

  close(): void {
    for (const name of [...this.#watched.keys()]) this.forget({ name });
  }

  /** If there is no descriptor to spare for a look, the kills are reported later. */
  #seen(run: Noticed): number {
    try {
      const notice = join(run.directory, NOTICE);
      if (existsSync(notice)) renameSync(notice, join(run.directory, SEEN));
      return this.count(run);
    } catch {
      return 0;
    }
  }

  #counted(container: string): number {
    const isV2 = this.#cgroups.controller("memory")?.v2 === true;
    const file = this.#cgroups.file(container, "memory", isV2 ? "memory.events" : "memory.oom_control");
    return file === undefined ? 0 : Number(table(readText(file)).get("oom_kill") ?? 0n);
  }
}

/** Looks again and again, and doubles the pause each time. */
function lookFor(watched: Watched, left: number): void {
  clearTimeout(watched.timer);
  watched.look();
  if (left === 0) return;
  watched.timer = setTimeout(() => lookFor(watched, left - 1), FIRST_LOOK_MS * 2 ** (LOOKS - left)).unref();
}

/** If the machine has no watch to spare (inotify(7)), kills are reported at the end of the run. */
function watcherOf(directory: string, look: () => void): FSWatcher | undefined {
  const isNotice = (_: unknown, name: string | null): void => {
    if (name === NOTICE) look();
  };
  try {
    return watch(directory, { persistent: false }, isNotice).on("error", () => {});
  } catch {
    return undefined;
  }
}
