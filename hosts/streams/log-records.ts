// Turns lines of a log into what a client of `logs` reads: one record a line, cut at 16 KiB as Docker cuts, each with
// its frame header and its time if wanted, or as a JSON object.

import type { replies } from "../host.js";
import { ByteBuilder } from "./bytes.js";
import { FRAME_HEADER, STDERR, STDOUT, writeFrameHeader } from "./frames.js";
import { LogLine } from "./log-lines.js";
import { LogObjects } from "./log-objects.js";
import type { Beginnings } from "./log-tail.js";
import { Moment, TIMESTAMP_LENGTH } from "./timestamps.js";

/** Longest record. A longer line comes in several, all with the time of the first: when so much of it had come. */
export const RECORD_BYTES = 16_384;

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** A line whose end has not come yet. */
interface Unfinished {
  /** When what is there had come; once a record of it was made, the time of that. */
  time: Moment;
  text: ByteBuilder;
  /** A record of it was made. */
  begun: boolean;
}

export class LogRecords {
  readonly #source: replies.LogSource;
  readonly #since: Moment | null;
  readonly #until: Moment | null;
  readonly #readsTimes: boolean;
  readonly #tail: Beginnings | null;
  readonly #prefix: Uint8Array;
  readonly #objects: LogObjects | null;
  readonly #line = new LogLine();
  readonly #time = new Moment();
  readonly #unfinished: (Unfinished | null)[] = [null, null, null];
  // Two, by turns: while one is being sent the other is filled.
  #output = new ByteBuilder();
  #other = new ByteBuilder();
  #reachedSince: boolean;
  /** A line later than `until` has been met: nothing more will come. */
  over = false;

  /** `tail`: where what is wanted of each stream begins; null for all. */
  constructor(source: replies.LogSource, tail: Beginnings | null = null) {
    this.#source = source;
    this.#tail = tail;
    this.#prefix = new TextEncoder().encode(source.prefix);
    this.#objects = source.objects === undefined ? null : new LogObjects(source.objects);
    this.#since = source.since > 0n ? Moment.of(source.since) : null;
    this.#until = source.until > 0n ? Moment.of(source.until) : null;
    this.#reachedSince = this.#since === null;
    const tellsTimes = source.timestamps || this.#objects !== null;
    this.#readsTimes = tellsTimes || this.#since !== null || this.#until !== null;
  }

  /** Records of a block of whole lines, which is at an offset of the log. Good until the call after the next. */
  render(block: Uint8Array, offset: number): Uint8Array {
    const line = this.#line;
    for (let at = 0; at < block.length && !this.over; at = line.end + 1) {
      if (line.read(block, at)) this.#offer(block, line, offset);
      else if (line.end < 0) break;
    }
    return this.#taken();
  }

  /** Records of lines that will never end: the log is over. */
  finish(): Uint8Array {
    for (const stream of [STDOUT, STDERR]) {
      const unfinished = this.#unfinished[stream];
      if (unfinished) this.#flush(stream, unfinished, false);
    }
    return this.#taken();
  }

  #taken(): Uint8Array {
    const output = this.#output;
    this.#output = this.#other;
    this.#other = output;
    return output.taken();
  }

  #offer(block: Uint8Array, line: LogLine, offset: number): void {
    if (this.#tail === null || offset + line.start >= this.#tail[line.stream]!) this.#take(block, line);
  }

  #take(block: Uint8Array, line: LogLine): void {
    if (!(line.stream === STDOUT ? this.#source.stdout : this.#source.stderr)) return this.#pass(block, line);
    const unfinished = this.#unfinished[line.stream]!;
    if (unfinished !== null) return this.#continue(block, line, unfinished);
    if (this.#readsTimes) this.#time.parse(block, line.start, line.timeEnd);
    if (!line.partial && line.end - line.text < RECORD_BYTES) {
      if (this.#isInTime(this.#time)) this.#record(line.stream, this.#time, block, line.text, line.end, true);
      return;
    }
    const begun = { time: new Moment(), text: new ByteBuilder(), begun: false };
    this.#unfinished[line.stream] = begun;
    this.#continue(block, line, begun);
  }

  /** Nobody wants its stream; that it is too late ends the log all the same. */
  #pass(block: Uint8Array, line: LogLine): void {
    if (this.#readsTimes) this.#time.parse(block, line.start, line.timeEnd);
    if (!line.partial) this.#isInTime(this.#time);
  }

  /** `since` only skips up to the first line at or after it; `until` ends at the first line later than it. */
  #isInTime(time: Moment): boolean {
    if (this.#until !== null && this.#until.isBefore(time)) this.over = true;
    this.#reachedSince ||= !time.isBefore(this.#since!);
    return this.#reachedSince && !this.over;
  }

  #continue(block: Uint8Array, line: LogLine, unfinished: Unfinished): void {
    const { text, time, begun } = unfinished;
    if (this.#readsTimes && !begun) time.parse(block, line.start, line.timeEnd);
    text.reserve(line.end - line.text);
    text.add(block, line.text, line.end);
    if (!line.partial) return this.#flush(line.stream, unfinished, true);
    const whole = text.length - (text.length % RECORD_BYTES);
    if (whole === 0) return;
    this.#cut(line.stream, unfinished, whole);
    unfinished.begun = true;
    text.bytes.copyWithin(0, whole, text.length);
    text.length -= whole;
  }

  /** The line's end: its newline counts against the length of its last record. */
  #flush(stream: number, unfinished: Unfinished, newline: boolean): void {
    const { time, text } = unfinished;
    const whole = text.length - (text.length % RECORD_BYTES);
    this.#cut(stream, unfinished, whole);
    const isMore = newline || text.length > whole;
    if (isMore && this.#isInTime(time)) this.#record(stream, time, text.bytes, whole, text.length, newline);
    this.#unfinished[stream] = null;
  }

  #cut(stream: number, { time, text }: Unfinished, end: number): void {
    for (let at = 0; at < end && this.#isInTime(time); at += RECORD_BYTES) {
      this.#record(stream, time, text.bytes, at, at + RECORD_BYTES, false);
    }
  }

  #record(stream: number, time: Moment, from: Uint8Array, start: number, end: number, newline: boolean): void {
    const output = this.#output;
    if (this.#objects !== null) {
      const object = this.#objects.line(stream, time, from.subarray(start, end), newline);
      output.reserve(object.length);
      return output.add(object, 0, object.length);
    }
    const { framed, timestamps } = this.#source;
    const prefix = this.#prefix;
    const length = end - start + (newline ? 1 : 0) + (timestamps ? TIMESTAMP_LENGTH + 1 : 0) + prefix.length;
    output.reserve(FRAME_HEADER + length);
    if (framed) {
      writeFrameHeader(output.bytes, output.length, stream, length);
      output.length += FRAME_HEADER;
    }
    if (timestamps) {
      time.write(output.bytes, output.length);
      output.bytes[output.length + TIMESTAMP_LENGTH] = SPACE;
      output.length += TIMESTAMP_LENGTH + 1;
    }
    if (prefix.length > 0) output.add(prefix, 0, prefix.length);
    output.add(from, start, end);
    if (newline) output.bytes[output.length++] = NEWLINE;
  }
}
