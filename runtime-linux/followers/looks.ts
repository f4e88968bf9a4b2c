// When to look at files again that nobody tells about: when the kernel says that their directory has changed (inotify),
// and else after growing pauses. The kernel watches only so many directories for a user.

import { watch, type FSWatcher } from "node:fs";

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export class Looks {
  readonly #watcher: FSWatcher | undefined;
  #pauseMs: number;
  #hasChanged = false;
  #wake = (): void => {};

  /** `directory`: undefined for none. */
  constructor(
    directory: string | undefined,
    private readonly firstPauseMs = FIRST_PAUSE_MS,
    private readonly longestPauseMs = LONGEST_PAUSE_MS,
  ) {
    this.#pauseMs = firstPauseMs;
    if (directory !== undefined) this.#watcher = this.#watched(directory);
  }

  /** Resolves when it is time to look. A change since the last time is not missed. */
  async next(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        late = setTimeout(resolve, this.#pauseMs);
      });
    }
    clearTimeout(late);
    // More changes may follow.
    this.#pauseMs = this.#hasChanged ? this.firstPauseMs : Math.min(2 * this.#pauseMs, this.longestPauseMs);
    this.#hasChanged = false;
  }

  close(): void {
    this.#watcher?.close();
  }

  #watched(directory: string): FSWatcher | undefined {
    try {
      return watch(directory, () => {
        this.#hasChanged = true;
        this.#wake();
      }).on("error", (error) => console.error(error));
    } catch (error) {
      console.error(error);
      return undefined;
    }
  }
}
