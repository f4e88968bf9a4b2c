// The open files and memory of any kind of daemon.
import { expect } from "vitest";
import { openFilesOf } from "./census.js";
import { pause } from "../commands.js";
import type { DaemonProcess } from "../daemon-process.js";
import { described, kindOf, openFiles, type OpenFile } from "./open-files.js";
import { rssKibibytes } from "../processes.js";

/** A connection that a client has just closed may still be open in the daemon, and a requested file not yet open. */
const SETTLED_MS = 500;
const PATIENCE_MS = 60_000;
/** Garbage counts as memory until it is collected, and an idle engine collects it soon. */
const COLLECTED_MS = 60_000;

export class Footprint {
  readonly #daemon: DaemonProcess;
  readonly #files: readonly string[];
  /** The open files at the start, including their numbers. */
  readonly #known: ReadonlySet<string>;
  readonly #kibibytes: number;
  #most: number;

  /** Measures once nothing is being opened or closed any more. */
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

  /** Memory growth in MiB. */
  grown(): number {
    const now = rssKibibytes(this.#daemon.pid());
    this.#most = Math.max(this.#most, now);
    return (now - this.#kibibytes) / 1024;
  }

  /** After garbage collection, memory has grown by less than this many MiB. */
  async expectGrownLess(mebibytes: number): Promise<void> {
    const deadline = Date.now() + COLLECTED_MS;
    while (this.grown() >= mebibytes && Date.now() < deadline) await pause(SETTLED_MS);
    expect(this.grown()).toBeLessThan(mebibytes);
  }

  /** The largest growth observed. */
  get most(): number {
    return (this.#most - this.#kibibytes) / 1024;
  }

  /** Samples the memory while an action runs. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    const timer = setInterval(() => this.grown(), 100);
    try {
      return await act();
    } finally {
      clearInterval(timer);
      this.grown();
    }
  }

  /** Expects that all files opened since are closed. Reports any open one with the process at its other end. */
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

  /** Files of these kinds that were opened since and are still open. */
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
