// Kills for memory. A run's supervisor makes a file when the kernel tells it that the container's group is short of memory,
// and leaves a file that is there as it is: so one that was seen is renamed. How many kills there were the kernel counts.

import { existsSync, renameSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { Cgroups } from "./cgroups.js";
import { readText, table } from "../sample/text.js";

/** A run, as far as it matters here. */
interface Noticed {
  name: string;
  container: string;
  directory: string;
}

interface Watched {
  watcher: FSWatcher | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Tells of what is new. */
  look: () => void;
}

/** The file that conmon makes, and what it is called once it was seen. */
const NOTICE = "oom";
const SEEN = "oom.seen";

/** cgroups of version 1 give notice before they kill: when the kill is looked for first, and how often. */
const FIRST_LOOK_MS = 10;
const LOOKS = 10;

/** The supervisor has noticed any in this run. */
export function hadMemoryKills(directory: string): boolean {
  return existsSync(join(directory, NOTICE)) || existsSync(join(directory, SEEN));
}

/** Tells of kills as they are noticed. */
export class MemoryKills {
  readonly #cgroups: Pick<Cgroups, "controller" | "file">;
  readonly #watched = new Map<string, Watched>();

  constructor(cgroups: Pick<Cgroups, "controller" | "file">) {
    this.#cgroups = cgroups;
  }

  /** In this run. A group whose killer is turned off has none, and its shortage is told like one. */
  count({ container, directory }: Noticed): number {
    return hadMemoryKills(directory) ? Math.max(1, this.#counted(container)) : 0;
  }

  /** `told` is called with their count whenever that grows. */
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

  /** The run has ended: what is new is told now, and nothing after it. */
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

  /** What cannot be looked at, without a descriptor to spare, is told later. */
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

/** Looks now and again, each time twice as much later. */
function lookFor(watched: Watched, left: number): void {
  clearTimeout(watched.timer);
  watched.look();
  if (left === 0) return;
  watched.timer = setTimeout(() => lookFor(watched, left - 1), FIRST_LOOK_MS * 2 ** (LOOKS - left)).unref();
}

/** Where the machine has no watch to spare (inotify(7)) it is told at the end of the run. */
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
