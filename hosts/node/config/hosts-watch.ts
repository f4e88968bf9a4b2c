// Tells when the settings of registries may have changed: containerd reads them at each pull. A signal is still needed for
// what happens where nothing is watched, such as to a file that is only linked from there.

import { existsSync, readdirSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { Log } from "../log.js";
import { mayBeDirectory } from "./registry-hosts.js";

/** How many registries' directories are watched. */
const MOST_WATCHED = 256;
/** How long a writer has to finish, in milliseconds. */
const PAUSE = 15;
/** What the kernel says if it watches no more for this user or this process. */
const REFUSALS = ["ENOSPC", "EMFILE", "ENFILE", "ENOMEM"];

/**
 * Watches the directory, those in it, and the nearest one above it that is there. Does not keep the process alive. It
 * first tells shortly after its making: there may have been changes since the settings were read.
 */
export class HostsWatch {
  readonly #directory: string;
  readonly #changed: () => void;
  readonly #log: Log;
  #watchers: FSWatcher[] = [];
  #pause: NodeJS.Timeout | null = null;
  #hasTold = false;
  #isClosed = false;

  /** `changed` is called when everything is watched anew, so that what it reads is never older than the watches. */
  constructor(directory: string, changed: () => void, log: Log) {
    this.#directory = directory;
    this.#changed = changed;
    this.#log = log;
    this.#stir();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#unwatch();
  }

  /** Events of one change come together. */
  #stir(): void {
    if (this.#isClosed || this.#pause !== null) return;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#rewatch();
      this.#changed();
    }, PAUSE).unref();
  }

  /** From above to below: what appears meanwhile is either seen or told by the directory above. */
  #rewatch(): void {
    this.#unwatch();
    try {
      this.#watchAbove();
      this.#watch(this.#directory);
      const names = this.#names();
      for (const name of names.slice(0, MOST_WATCHED)) this.#watch(join(this.#directory, name) + sep);
      if (names.length > MOST_WATCHED) this.#tell(`only ${MOST_WATCHED} directories are watched`);
    } catch (error) {
      this.#tell((error as Error).message);
    }
  }

  #unwatch(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  /** In what is above, only the next part of the way matters: `/etc` has many files. */
  #watchAbove(): void {
    let above = dirname(this.#directory);
    while (above !== dirname(above) && !existsSync(above)) above = dirname(above);
    while (above !== this.#directory) {
      const next = this.#nextBelow(above);
      // The kernel tells the end of a directory under its own name.
      this.#watch(above, [basename(next), basename(above)]);
      if (!existsSync(next)) return;
      above = next;
    }
  }

  #nextBelow(above: string): string {
    const rest = this.#directory.slice(above.length).split(sep);
    return join(
      above,
      rest.find((part) => part !== "")!,
    );
  }

  #names(): string[] {
    try {
      const entries = readdirSync(this.#directory, { withFileTypes: true });
      return entries.filter(mayBeDirectory).map(({ name }) => name);
    } catch {
      return [];
    }
  }

  /** What is missing, or may not be read, is not watched. Throws if the kernel watches no more. */
  #watch(place: string, names?: readonly string[]): void {
    try {
      const watcher = watch(place, { persistent: false }, (_, name) => {
        if (names === undefined || name === null || names.includes(name)) this.#stir();
      });
      watcher.on("error", () => this.#stir());
      this.#watchers.push(watcher);
    } catch (error) {
      if (REFUSALS.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }

  #tell(why: string): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#log.warn("changes to settings of registries may need SIGHUP", { directory: this.#directory, error: why });
  }
}
