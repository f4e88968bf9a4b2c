// Finds where the last lines of a log begin, reading it backwards: a log may be larger than memory.

import type { LogBytes } from "../host.js";
import { STDERR, STDOUT } from "./frames.js";
import { LogLine } from "./log-lines.js";
import { Moment } from "./timestamps.js";

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** How far back, in bytes without any of its own, a stream's line is looked for that began before those in front of it. */
const FURTHEST = 1 << 20;

/** For each stream (stdout, stderr) the offset from which on its lines are wanted. */
export interface Beginnings {
  readonly [stream: number]: number;
}

/**
 * Where the last `count` lines begin that are not later than `until` (null: of all). A line counts once, in however
 * many parts it was written, and where it ended. Lines of both streams count, as Docker counts them: the other
 * stream's lines that ended between the parts of a wanted one need not be wanted.
 */
export async function tailOf(log: LogBytes, size: number, count: number, until: Moment | null): Promise<Beginnings> {
  const search = new TailSearch(count, until);
  const begin = await log.start();
  if (size <= begin) return fromAnywhere(begin);
  let end = size;
  let length = BLOCK;
  while (end > begin) {
    const start = Math.max(begin, end - length);
    const block = await readExactly(log, start, end - start);
    if (block === null) return fromAnywhere(await log.start());
    // Only what follows a newline is known to be a whole line; the rest belongs to the block before.
    const first = start === begin ? 0 : block.indexOf(NEWLINE) + 1;
    if (start > begin && (first === 0 || first === block.length)) {
      length *= 2;
      continue;
    }
    if (search.backwards(block, first, start)) return search.beginnings;
    end = start + first;
    length = BLOCK;
  }
  return search.isShort ? fromAnywhere(begin) : search.beginnings;
}

function fromAnywhere(offset: number): Beginnings {
  return { [STDOUT]: offset, [STDERR]: offset };
}

/** What is known of a stream's lines, looking backwards. */
class StreamTail {
  /** Offset of the first of them that is wanted so far; -1: of none. */
  begin = -1;
  /** The line before that one is not wanted, or not looked for any more. */
  isKnown = false;
}

class TailSearch {
  readonly #count: number;
  readonly #until: Moment | null;
  readonly #line = new LogLine();
  readonly #time = new Moment();
  readonly #stdout = new StreamTail();
  readonly #stderr = new StreamTail();
  #counted = 0;
  /** End of the last whole line. */
  #end = -1;

  constructor(count: number, until: Moment | null) {
    this.#count = count;
    this.#until = until;
  }

  /** The log has fewer lines. */
  get isShort(): boolean {
    return this.#counted < this.#count;
  }

  /** What is written after the search is wanted of either stream. */
  get beginnings(): Beginnings {
    const { begin: stdout } = this.#stdout;
    const { begin: stderr } = this.#stderr;
    return { [STDOUT]: stdout < 0 ? this.#end : stdout, [STDERR]: stderr < 0 ? this.#end : stderr };
  }

  /** Takes a block that is at an offset of the log. True when all is known. */
  backwards(block: Uint8Array, first: number, at: number): boolean {
    let end = block.lastIndexOf(NEWLINE);
    if (this.#end < 0) this.#end = at + end + 1;
    while (end >= first && !this.#isDone(at + end)) {
      const previous = end === 0 ? -1 : block.lastIndexOf(NEWLINE, end - 1);
      const start = Math.max(previous + 1, first);
      if (this.#line.read(block, start)) this.#take(block, at + start);
      end = start - 1;
    }
    return this.#isDone(at + first);
  }

  #isDone(offset: number): boolean {
    if (this.isShort) return false;
    const found = ({ begin, isKnown }: StreamTail): boolean => isKnown || begin < 0 || begin - offset > FURTHEST;
    return found(this.#stdout) && found(this.#stderr);
  }

  #take(block: Uint8Array, offset: number): void {
    const tail = this.#line.stream === STDOUT ? this.#stdout : this.#stderr;
    if (tail.isKnown) return;
    if (this.#endsLine(block, tail)) {
      if (this.#counted === this.#count) tail.isKnown = true;
      else this.#counted++;
    }
    if (!tail.isKnown) tail.begin = offset;
  }

  /** A line ends with its F part; the stream may end in a part whose F never came. */
  #endsLine(block: Uint8Array, { begin }: StreamTail): boolean {
    const ends = !this.#line.partial || begin < 0;
    if (this.#until !== null && ends) {
      this.#time.parse(block, this.#line.start, this.#line.timeEnd);
      if (this.#until.isBefore(this.#time)) return false;
    }
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
