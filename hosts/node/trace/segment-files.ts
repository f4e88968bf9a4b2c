// Writes the segments of a trace to files in the background, so that nobody waits for the disk, and removes the oldest
// when there are too many bytes. If the disk fails, only the trace loses data.

import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Chain, endLine } from "../../trace/index.js";
import type { ShorteningSink } from "../../trace/index.js";
import type { Log } from "../log.js";
import { HEAD, type SegmentFile, type TraceDirectory } from "./trace-directory.js";
import { WaitingLines, roomOf, written } from "./waiting-lines.js";
import type { Piece } from "./waiting-lines.js";

export interface SegmentFilesOptions {
  directory: TraceDirectory;
  /** Bytes of all segments, and of incidents whose segments are gone. */
  limit: number;
  log: Log;
}

/** How long a line waits for others, to be written together. */
const GATHER_MS = 100;
/** Room for the line that says where a segment breaks off. */
const END_BYTES = 128;
/** Bytes that may wait while the disk is busy. */
const MOST_WAITING = 16 * 1024 * 1024;
/** The pause after a failure, before the next try. It doubles each time. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const LF = 0x0a;

export class SegmentFiles implements ShorteningSink {
  readonly makesSums = true;
  readonly #directory: TraceDirectory;
  readonly #limit: number;
  readonly #log: Log;
  /** Written files, the oldest first. The newest may still grow. */
  readonly #files: SegmentFile[];
  readonly #waiting = new WaitingLines();
  /** Bytes of lines that were taken for writing and are not in the file yet. */
  #inHand = 0;
  #newest = 0;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #handle: FileHandle | null = null;
  /** Covers the complete lines of the newest file. */
  #chain = new Chain();
  #pauseMs = FIRST_PAUSE_MS;
  #resting = false;
  /** Segments up to this one are no longer accepted. */
  #gaveUp = 0;

  constructor({ directory, limit, log }: SegmentFilesOptions) {
    this.#directory = directory;
    this.#limit = limit;
    this.#log = log;
    this.#files = directory.segments();
    directory.dropIncidents(this.#share);
  }

  takes(segment: number): boolean {
    return !this.#resting && segment > this.#gaveUp;
  }

  /**
   * The last quarter of its share is for steps that have happened but are not recorded yet. Lines never grow when they
   * are written.
   */
  isNearlyFull(): boolean {
    const newest = this.#files.at(-1);
    const written = newest?.number === this.#newest ? newest.bytes : 0;
    return written + this.#inHand + this.#waiting.length > (this.#share * 3) / 4;
  }

  begin(segment: number): void {
    this.#waiting.begin(segment);
    this.#newest = segment;
    if (this.#resting) this.#gaveUp = segment;
  }

  append(line: string): void {
    this.appendBytes(Buffer.from(line));
  }

  appendBytes(line: Uint8Array): void {
    if (!this.takes(this.#newest)) return;
    this.#waiting.append(line);
    this.#limited();
  }

  snapshot(bytes: Uint8Array): void {
    if (!this.takes(this.#newest)) return;
    this.#waiting.snapshot(bytes);
    this.#soon();
  }

  opening(line: Uint8Array): void {
    if (!this.takes(this.#newest)) return;
    this.#waiting.opening(line);
    this.#limited();
  }

  /** Old segments are removed by size only. */
  drop(): void {}

  /** Resolves when all lines so far are written to the system, or are lost. */
  async flush(): Promise<void> {
    this.#callOff();
    // Lines that arrive during a write are written after it.
    while (this.#writing !== null) await this.#writing;
    if (this.#waiting.isEmpty) return;
    this.#inHand = this.#waiting.length;
    this.#writing = this.#write(this.#waiting.take()).finally(() => {
      this.#writing = null;
      this.#inHand = 0;
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#gaveUp = Infinity;
    const handle = this.#handle;
    this.#handle = null;
    // The daemon ends in any case.
    await handle?.close().catch(() => {});
  }

  /** The most bytes of one incident or one segment, so that there is room for others. */
  get #share(): number {
    return this.#limit / 2;
  }

  #limited(): void {
    if (this.#writing !== null && this.#waiting.length > MOST_WAITING) this.#fail(new Error("writing is too slow"));
    else this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), GATHER_MS).unref();
  }

  #callOff(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #write(pieces: readonly Piece[]): Promise<void> {
    for (const piece of pieces) {
      try {
        await this.#append(piece);
        this.#inHand -= roomOf(piece);
      } catch (error) {
        this.#fail(error);
        return await this.#giveUp(piece.segment);
      }
    }
    // Only after a complete write: a header may fit where the following snapshot never will.
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  async #append(piece: Piece): Promise<void> {
    const file = await this.#fileFor(piece.segment);
    const chain = this.#chain.fork();
    const bytes = await written(piece, chain);
    if (file.bytes + bytes.length > this.#share - END_BYTES)
      throw new Error("it has more bytes than half of the limit");
    this.#makeRoom(bytes.length + END_BYTES);
    await this.#handle!.appendFile(bytes);
    file.bytes += bytes.length;
    this.#chain = chain;
  }

  async #fileFor(segment: number): Promise<SegmentFile> {
    const newest = this.#files.at(-1);
    if (this.#handle !== null && newest?.number === segment) return newest;
    await this.#handle?.close();
    this.#handle = null;
    this.#handle = await this.#directory.begin(segment);
    this.#chain = new Chain();
    const added = { number: segment, file: this.#directory.fileOf(segment), bytes: 0 };
    this.#files.push(added);
    return added;
  }

  /**
   * There is always something to remove, since no segment has more than half. If an incident links to a segment, its
   * bytes then count for the incident.
   */
  #makeRoom(bytes: number): void {
    const kept = (): number => this.#files.reduce((sum, file) => sum + file.bytes, this.#directory.incidentBytes());
    while (kept() + bytes > this.#limit && this.#files.length > 1) {
      this.#directory.drop(this.#files[0]!.number);
      this.#files.shift();
    }
  }

  /** The segment ends here; the next try comes after a pause. */
  #fail(error: unknown): void {
    if (this.#resting) return;
    this.#resting = true;
    this.#gaveUp = this.#newest;
    this.#waiting.take();
    this.#callOff();
    this.#log.warn("the flight recorder dropped a segment", { segment: this.#newest, error: messageOf(error) });
    setTimeout(() => (this.#resting = false), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** Writes where the segment breaks off. If there is no room even for that, gives back the segment's room. */
  async #giveUp(segment: number): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close().catch(() => {});
    const file = this.#files.find(({ number }) => number === segment);
    const end = file === undefined ? 0 : await brokenOff(file, this.#chain);
    if (end > 0) file!.bytes += end;
    else if (this.#removed(segment) && file !== undefined) this.#files.splice(this.#files.indexOf(file), 1);
  }

  /** False if the disk cannot even remove it: the rest of it still counts. */
  #removed(segment: number): boolean {
    try {
      this.#directory.drop(segment);
      return true;
    } catch (error) {
      this.#log.warn("the flight recorder could not remove a segment", { segment, error: messageOf(error) });
      return false;
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Bytes of the line that says so. 0 if it cannot be written, or if the segment has only a header and so has not begun.
 */
async function brokenOff({ file, bytes }: SegmentFile, chain: Chain): Promise<number> {
  let handle: FileHandle | null = null;
  try {
    handle = await open(file, "r+");
    if (!(await isBegun(handle, bytes))) return 0;
    // Just after the last complete line.
    await handle.truncate(bytes);
    const end = chain.sealed(endLine({ why: "broken", error: "the rest could not be written" }));
    const line = Buffer.from(`${end}\n`);
    const { bytesWritten } = await handle.write(line, 0, line.length, bytes);
    return bytesWritten === line.length ? line.length : 0;
  } catch {
    return 0;
  } finally {
    await handle?.close().catch(() => {});
  }
}

/** Whether there is a line after the header. Lines may be many megabytes long. */
async function isBegun(handle: FileHandle, bytes: number): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
  const end = buffer.subarray(0, Math.min(bytesRead, bytes)).indexOf(LF);
  return end >= 0 && end + 1 < bytes;
}
