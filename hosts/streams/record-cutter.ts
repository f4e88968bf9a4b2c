// Cuts a log into records as Docker's json-file driver does: one for each line. A line longer than 16 KiB gives one for
// each 16 KiB and one for the rest. Records are in the order in which they were completed.

import { ByteBuilder } from "../shared/index.js";
import { STDERR, STDOUT } from "./frames.js";
import { LogLine } from "./log-lines.js";
import { Moment } from "./timestamps.js";

/** Size of the longest record. A longer line becomes several, all with the time at which the first was full. */
export const RECORD_BYTES = 16_384;

/** Takes the bytes from `start` up to `end`, and the newline after them if there is one. */
export type TakeRecord = (
  stream: number,
  time: Moment,
  from: Uint8Array,
  start: number,
  end: number,
  newline: boolean,
) => void;

/** For each stream (stdout, stderr) the offset from which its lines are wanted. */
export interface Beginnings {
  readonly [stream: number]: number;
}

export interface Cutting {
  /** Nanoseconds since 1970; 0 for none. */
  since: bigint;
  until: bigint;
  /** Where the wanted part of each stream begins; null for everything. */
  beginnings: Beginnings | null;
  /** Times are needed, even if nothing else requires them. */
  times: boolean;
}

/** A line whose end has not arrived yet. */
interface Unfinished {
  /** When its bytes arrived; after its first record, the time of that record. */
  time: Moment;
  text: ByteBuilder;
  /** Part of the line was already sent as a record. */
  begun: boolean;
}

export class RecordCutter {
  readonly #take: TakeRecord;
  readonly #since: Moment | null;
  readonly #until: Moment | null;
  readonly #readsTimes: boolean;
  readonly #beginnings: Beginnings | null;
  readonly #line = new LogLine();
  readonly #time = new Moment();
  readonly #unfinished: (Unfinished | null)[] = [null, null, null];
  #reachedSince: boolean;
  /** A record later than `until` was found: nothing more will come. */
  over = false;

  constructor({ since, until, beginnings, times }: Cutting, take: TakeRecord) {
    this.#take = take;
    this.#since = since > 0n ? Moment.of(since) : null;
    this.#until = until > 0n ? Moment.of(until) : null;
    this.#beginnings = beginnings;
    this.#reachedSince = this.#since === null;
    this.#readsTimes = times || this.#since !== null || this.#until !== null;
  }

  /** Takes a block of complete lines, at an offset of the log. */
  cut(block: Uint8Array, offset: number): void {
    const line = this.#line;
    const beginnings = this.#beginnings;
    for (let at = 0; at < block.length && !this.over; at = line.end + 1) {
      if (line.read(block, at)) {
        if (beginnings === null || offset + line.start >= beginnings[line.stream]!) this.#add(block, line);
      } else if (line.end < 0) break;
    }
  }

  /** The log is over. Text without a newline is a record, too. */
  finish(): void {
    for (const stream of [STDOUT, STDERR]) {
      const unfinished = this.#unfinished[stream];
      if (unfinished) this.#flush(stream, unfinished, false);
    }
  }

  #add(block: Uint8Array, line: LogLine): void {
    const unfinished = this.#unfinished[line.stream]!;
    if (unfinished !== null) return this.#continue(block, line, unfinished);
    if (line.ends) return;
    if (line.partial || line.end - line.text >= RECORD_BYTES) {
      const begun = { time: new Moment(), text: new ByteBuilder(), begun: false };
      this.#unfinished[line.stream] = begun;
      return this.#continue(block, line, begun);
    }
    if (this.#readsTimes) this.#time.parse(block, line.start, line.timeEnd);
    if (this.#isInTime(this.#time)) this.#take(line.stream, this.#time, block, line.text, line.end, true);
  }

  /** `since` only skips up to the first record at or after it; `until` ends at the first one later than it. */
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
    if (line.ends || !line.partial) return this.#flush(line.stream, unfinished, !line.partial);
    const whole = text.length - (text.length % RECORD_BYTES);
    if (whole === 0) return;
    this.#cutUpTo(whole, line.stream, unfinished);
    unfinished.begun = true;
    text.bytes.copyWithin(0, whole, text.length);
    text.length -= whole;
  }

  /** The end of a line. Its newline counts towards the length of its last record. */
  #flush(stream: number, unfinished: Unfinished, newline: boolean): void {
    const { time, text } = unfinished;
    const whole = text.length - (text.length % RECORD_BYTES);
    this.#cutUpTo(whole, stream, unfinished);
    const isMore = newline || text.length > whole;
    if (isMore && this.#isInTime(time)) this.#take(stream, time, text.bytes, whole, text.length, newline);
    this.#unfinished[stream] = null;
  }

  #cutUpTo(end: number, stream: number, { time, text }: Unfinished): void {
    for (let at = 0; at < end && this.#isInTime(time); at += RECORD_BYTES) {
      this.#take(stream, time, text.bytes, at, at + RECORD_BYTES, false);
    }
  }
}
