// What a daemon of whatever kind holds of its machine: open files and memory.
import { expect } from "vitest";
import { openFilesOf } from "./census.js";
import { pause } from "./commands.js";
import type { DaemonProcess } from "./daemon-process.js";
import { described, kindOf, openFiles, type OpenFile } from "./open-files.js";
import { rssKibibytes } from "./processes.js";

/** What a client closed a moment ago may still be open, what it asked for not yet. */
const SETTLED_MS = 500;
const PATIENCE_MS = 60_000;
/** Garbage is memory, too, until it is collected, and an engine that rests soon collects it. */
const COLLECTED_MS = 60_000;

export class Footprint {
  readonly #daemon: DaemonProcess;
  readonly #files: readonly string[];
  /** The same as they stood there, numbers and all. */
  readonly #known: ReadonlySet<string>;
  readonly #kibibytes: number;
  #most: number;

  /** As it is once nothing is being opened or closed any more. */
  static async of(daemon: DaemonProcess): Promise<Footprint> {
    let files = openFilesOf(daemon.pid());
    for (;;) {
      await pause(SETTLED_MS);
      const later = openFilesOf(daemon.pid());
      if (later.length === files.length) return new Footprint(daemon, later);
      files = later;
    }
  }

  private constructor(daemon: DaemonProcess, files: readonly string[]) {
    this.#daemon = daemon;
    this.#files = files;
    this.#known = new Set(openFiles(daemon.pid()).map(({ target }) => target));
    this.#kibibytes = this.#most = rssKibibytes(daemon.pid());
  }

  /** Mebibytes of memory that it has grown by. */
  grown(): number {
    const now = rssKibibytes(this.#daemon.pid());
    this.#most = Math.max(this.#most, now);
    return (now - this.#kibibytes) / 1024;
  }

  /** Once garbage has been collected it has not grown by so many mebibytes. */
  async expectGrownLess(mebibytes: number): Promise<void> {
    const deadline = Date.now() + COLLECTED_MS;
    while (this.grown() >= mebibytes && Date.now() < deadline) await pause(SETTLED_MS);
    expect(this.grown()).toBeLessThan(mebibytes);
  }

  /** The most that was seen of that. */
  get most(): number {
    return (this.#most - this.#kibibytes) / 1024;
  }

  /** Looks at the memory every now and then while something is done. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => this.grown(), 100);
    try {
      return await act();
    } finally {
      clearInterval(timer);
      this.grown();
    }
  }

  /** Nothing stays open that was not then. Where something does, it is told who has the other end of it. */
  async expectFilesClosed(): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.#opened().length > 0 && Date.now() < deadline) await pause(20);
    const opened = this.#opened();
    expect(opened, this.#suspects(opened).join("; ")).toEqual([]);
  }

  #opened(): string[] {
    const left = [...this.#files];
    return openFilesOf(this.#daemon.pid()).filter((file) => {
      const at = left.indexOf(file);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  }

  /** What is open now of these kinds, and was not then. */
  #suspects(kinds: readonly string[]): string[] {
    const pid = this.#daemon.pid();
    const isNew = (file: OpenFile): boolean => kinds.includes(kindOf(file)) && !this.#known.has(file.target);
    return kinds.length === 0
      ? []
      : openFiles(pid)
          .filter(isNew)
          .map((file) => described(pid, file));
  }
}
