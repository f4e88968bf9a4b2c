// Finds where the last lines of a log begin. It reads backwards, because a log may be larger than memory.

import type { LogBytes, replies } from "../shared/index.js";
import { STDERR, STDOUT } from "./frames.js";
import { LogLine } from "./log-lines.js";
import { RECORD_BYTES, type Beginnings } from "./record-cutter.js";
import { Moment } from "./timestamps.js";

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/**
 * How far back to search for the beginning of a stream's line, in bytes in which the stream has no lines of its own.
 */
const FURTHEST = 1 << 20;

/** Offset of the first of them. */
export function firstOf(beginnings: Beginnings): number {
  return Math.min(beginnings[STDOUT]!, beginnings[STDERR]!);
}

export interface Tail {
  beginnings: Beginnings;
  /** Each line is one record, and there are no more lines than requested. */
  isEven: boolean;
}

/** The part of a request that limits the end of the log. */
export type TailBounds = Pick<replies.LogSource, "until" | "follow" | "ended">;

/**
 * Where the last `count` lines begin that are not later than `until`. A line counts once, however many parts it was
 * written in, and where it ended. A line that may still continue does not count. Lines of both streams count, as with
 * Docker. So lines of the other stream that ended between the parts of a wanted line may be unwanted.
 */
export async function tailOf(log: LogBytes, size: number, count: number, bounds: TailBounds): Promise<Tail> {
  const search = new TailSearch(count, bounds);
  const begin = await log.start();
  if (size <= begin) return fromAnywhere(begin, true);
  let end = size;
  let length = BLOCK;
  while (end > begin) {
    const start = Math.max(begin, end - length);
    const block = await readExactly(log, start, end - start);
    if (block === null) return fromAnywhere(await log.start(), false);
    // Only after a newline a complete line is certain; the rest belongs to the previous block.
    const first = start === begin ? 0 : block.indexOf(NEWLINE) + 1;
    if (start > begin && (first === 0 || first === block.length)) {
      length *= 2;
      continue;
    }
    if (search.backwards(block, first, start)) return search.tail;
    end = start + first;
    length = BLOCK;
  }
  return search.isShort ? fromAnywhere(begin, search.tail.isEven) : search.tail;
}

function fromAnywhere(offset: number, isEven: boolean): Tail {
  return { beginnings: { [STDOUT]: offset, [STDERR]: offset }, isEven };
}

/** What is known about a stream's lines, looking backwards. */
class StreamTail {
  /** Offset of the first wanted line so far; -1: there is none. */
  begin = -1;
  /** The line before that one is unwanted, or need not be found. */
  isKnown = false;
  /** No line continues beyond here: the run is over. */
  isOver: boolean;
  /** The end is marked: a line without a newline ends only at the mark, whatever was written in between. */
  isMarked = false;
  /** When the stream ended there, if requested. */
  readonly end = new Moment();

  constructor(isOver: boolean) {
    this.isOver = isOver;
  }
}

class TailSearch {
  readonly #count: number;
  readonly #until: Moment | null;
  readonly #follows: boolean;
  readonly #line = new LogLine();
  readonly #time = new Moment();
  readonly #stdout: StreamTail;
  readonly #stderr: StreamTail;
  #counted = 0;
  #isEven = true;
  /** End of the last complete line. */
  #end = -1;

  constructor(count: number, { until, follow, ended }: TailBounds) {
    this.#count = count;
    this.#until = until > 0n ? Moment.of(until) : null;
    this.#follows = follow;
    this.#stdout = new StreamTail(ended);
    this.#stderr = new StreamTail(ended);
  }

  /** The log has fewer lines. */
  get isShort(): boolean {
    return this.#counted < this.#count;
  }

  /** Output written after the search is wanted from both streams. */
  get tail(): Tail {
    const { begin: stdout } = this.#stdout;
    const { begin: stderr } = this.#stderr;
    const beginnings = { [STDOUT]: stdout < 0 ? this.#end : stdout, [STDERR]: stderr < 0 ? this.#end : stderr };
    return { beginnings, isEven: this.#isEven };
  }

  /** Takes a block at an offset of the log. True if everything is known. */
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
    return [this.#stdout, this.#stderr].every((tail) => this.#isFound(tail, offset));
  }

  /** If no line of a stream is wanted, its current line may be wanted, and the last output of a run. */
  #isFound({ begin, isKnown, isMarked }: StreamTail, offset: number): boolean {
    if (isKnown) return true;
    if (begin < 0) return (!isMarked && !this.#follows) || this.#end - offset > FURTHEST;
    return begin - offset > FURTHEST;
  }

  #take(block: Uint8Array, offset: number): void {
    const line = this.#line;
    const tail = line.stream === STDOUT ? this.#stdout : this.#stderr;
    if (tail.isKnown) return;
    const isMarked = line.partial && !line.ends && tail.isMarked;
    const hasEnded = line.ends || !line.partial || tail.isOver;
    if (hasEnded && !isMarked && !this.isShort) {
      tail.isKnown = true;
      return;
    }
    if (line.ends) return this.#mark(block, tail);
    if (hasEnded && this.#isInTime(block, isMarked ? tail.end : null)) this.#counted++;
    if (line.partial || line.end - line.text >= RECORD_BYTES) this.#isEven = false;
    tail.isOver = tail.isMarked = false;
    tail.begin = offset;
  }

  #mark(block: Uint8Array, tail: StreamTail): void {
    tail.isOver = tail.isMarked = true;
    if (this.#until !== null) tail.end.parse(block, this.#line.start, this.#line.timeEnd);
  }

  /** `end`: when the line ended, if not here. */
  #isInTime(block: Uint8Array, end: Moment | null): boolean {
    if (this.#until === null) return true;
    if (end === null) this.#time.parse(block, this.#line.start, this.#line.timeEnd);
    return !this.#until.isBefore(end ?? this.#time);
  }
}

/** Null if the bytes were removed meanwhile. The caller will read them again. */
async function readExactly(log: LogBytes, offset: number, length: number): Promise<Uint8Array | null> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = await log.read(offset + filled, bytes.subarray(filled), offset);
    if (read < 0) return null;
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
