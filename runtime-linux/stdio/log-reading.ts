// One reader's open view of a container's log.

import type { LogBytes } from "../../hosts/shared/index.js";
import type { LogFiles, LogPosition } from "./log-files.js";

export class LogReading implements LogBytes, LogPosition {
  position = 0;
  /** A reader that has reached the end waits for new output. */
  #atEnd = false;
  readonly #files: LogFiles;
  readonly #closed: () => void;

  constructor(files: LogFiles, closed: () => void) {
    this.#files = files;
    this.#closed = closed;
    files.add(this);
  }

  async size(): Promise<number> {
    return this.#files.end;
  }

  async start(): Promise<number> {
    return this.#files.start;
  }

  async read(offset: number, into: Uint8Array, from?: number): Promise<number> {
    this.position = from ?? offset; // set here already, while another thread reads
    const read = await this.#files.read(offset, into, this.#atEnd);
    this.#atEnd = read < into.length;
    this.position = from ?? offset + Math.max(0, read);
    return read;
  }

  watch(grown: () => void): () => void {
    return this.#files.watch(grown);
  }

  async close(): Promise<void> {
    this.#files.remove(this);
    this.#closed();
  }
}
