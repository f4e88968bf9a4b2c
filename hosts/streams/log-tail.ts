// Finds where the last lines of a log begin, reading it backwards: a log may be larger than memory.

import type { LogBytes } from "../host.js";
import { LogLine } from "./log-lines.js";
import { Moment } from "./timestamps.js";

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/**
 * Offset of the first of the last `count` lines that are not later than `until` (null: of all). A line counts once,
 * in however many parts it was written. Lines of both streams count, as Docker counts them.
 */
export async function tailOffset(log: LogBytes, size: number, count: number, until: Moment | null): Promise<number> {
  const search = new TailSearch(count, until);
  const begin = await log.start();
  let end = size;
  let length = BLOCK;
  while (end > begin) {
    const start = Math.max(begin, end - length);
    const block = await readExactly(log, start, end - start);
    if (block === null) return log.start();
    // Only what follows a newline is known to be a whole line; the rest belongs to the block before.
    const first = start === begin ? 0 : block.indexOf(NEWLINE) + 1;
    if (start > begin && (first === 0 || first === block.length)) {
      length *= 2;
      continue;
    }
    const found = search.backwards(block, first);
    if (found >= 0) return start + found;
    end = start + first;
    length = BLOCK;
  }
  return begin;
}

class TailSearch {
  readonly #count: number;
  readonly #until: Moment | null;
  readonly #line = new LogLine();
  readonly #time = new Moment();
  #counted = 0;
  /** Nothing but the last line may lack its end. */
  #last = true;

  constructor(count: number, until: Moment | null) {
    this.#count = count;
    this.#until = until;
  }

  /** Where in the block the wanted lines begin; -1 if before it. */
  backwards(block: Uint8Array, first: number): number {
    let end = block.lastIndexOf(NEWLINE);
    if (this.#counted === 0 && this.#count === 0) return end + 1;
    while (end >= first) {
      const previous = end === 0 ? -1 : block.lastIndexOf(NEWLINE, end - 1);
      const start = Math.max(previous + 1, first);
      if (this.#line.read(block, start) && this.#endsLine(block)) {
        if (this.#counted === this.#count) return end + 1;
        this.#counted++;
      }
      end = start - 1;
    }
    return -1;
  }

  /** A line ends with its F part; the log may end in a part whose F never came. */
  #endsLine(block: Uint8Array): boolean {
    const ends = !this.#line.partial || this.#last;
    if (this.#until !== null && ends) {
      this.#time.parse(block, this.#line.start, this.#line.timeEnd);
      if (this.#until.isBefore(this.#time)) return false;
    }
    this.#last = false;
    return ends;
  }
}

/** Null when the bytes were thrown away meanwhile. */
async function readExactly(log: LogBytes, offset: number, length: number): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = await log.read(offset + filled, bytes.subarray(filled));
    if (read < 0) return null;
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
