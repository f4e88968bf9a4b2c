// A container's log as bytes that grow.

import { watch, type FSWatcher } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { LogBytes } from "../../hosts/host.js";

/** Tells who waits for a log that is not there yet that one is being made. */
export class LogsAppearing {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Returns what stops it. */
  wait(container: string, appeared: () => void): () => void {
    const waiting = this.#waiting.get(container) ?? new Set();
    this.#waiting.set(container, waiting.add(appeared));
    return () => {
      waiting.delete(appeared);
      if (waiting.size === 0 && this.#waiting.get(container) === waiting) this.#waiting.delete(container);
    };
  }

  appear(container: string): void {
    const waiting = this.#waiting.get(container);
    this.#waiting.delete(container);
    for (const appeared of waiting ?? []) appeared();
  }
}

/** Opens the log of a container; there may be none yet. */
export async function openLog(path: string, container: string, appearing: LogsAppearing): Promise<LogBytes> {
  const log = new LogFile(path, container, appearing);
  await log.open();
  return log;
}

class LogFile implements LogBytes {
  #handle: FileHandle | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;

  constructor(
    readonly path: string,
    readonly container: string,
    readonly appearing: LogsAppearing,
  ) {}

  /** Opens the file if it is there and not open yet. */
  async open(): Promise<FileHandle | undefined> {
    if (this.#handle || this.#closed) return this.#handle;
    await (this.#opening ??= this.#tryOpen().finally(() => (this.#opening = undefined)));
    return this.#handle;
  }

  async size(): Promise<number> {
    const handle = await this.open();
    return handle ? (await handle.stat()).size : 0;
  }

  async read(offset: number, into: Uint8Array): Promise<number> {
    const handle = await this.open();
    return handle ? (await handle.read(into, 0, into.length, offset)).bytesRead : 0;
  }

  watch(grown: () => void): () => void {
    let watcher: FSWatcher | undefined;
    let stop = () => watcher?.close();
    const start = () => {
      watcher = watch(this.path, { persistent: false }, grown).on("error", () => watcher?.close());
      stop = () => watcher?.close();
    };
    try {
      start();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      stop = this.appearing.wait(this.container, () => {
        start();
        grown();
      });
    }
    return () => stop();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #tryOpen(): Promise<void> {
    try {
      this.#handle = await open(this.path, "r");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    }
  }
}
