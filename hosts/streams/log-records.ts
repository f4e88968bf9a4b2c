// Formats log records for a client of `logs`: each with its frame header and time if requested, or as a JSON object.

import { ByteBuilder } from "../shared/index.js";
import type { replies } from "../shared/index.js";
import { FRAME_HEADER, STDOUT, writeFrameHeader } from "./frames.js";
import { LogObjects } from "./log-objects.js";
import type { LastRecords } from "./last-records.js";
import { RecordCutter } from "./record-cutter.js";
import { TIMESTAMP_LENGTH, type Moment } from "./timestamps.js";

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** Which records to send, and in which format. */
export type RecordForm = Omit<replies.LogSource, "container" | "tail" | "follow" | "ended">;

export class LogRecords {
  readonly #form: RecordForm;
  readonly #cutter: RecordCutter;
  readonly #prefix: Uint8Array;
  readonly #objects: LogObjects | null;
  /** How many more records to skip. */
  #skip: number;
  /** Where the last block ended; undefined before the first. */
  #passed: number | undefined;
  // Two buffers in turn: one is filled while the other is being sent.
  #output = new ByteBuilder();
  #other = new ByteBuilder();

  /** `last`: the only records to send; null for all. */
  constructor(form: RecordForm, last: LastRecords | null = null) {
    this.#form = form;
    this.#skip = last?.skip ?? 0;
    this.#passed = last?.from;
    this.#prefix = new TextEncoder().encode(form.prefix);
    this.#objects = form.objects === undefined ? null : new LogObjects(form.objects);
    const { since, until, timestamps } = form;
    const times = timestamps || this.#objects !== null;
    const cutting = { since, until, beginnings: last?.beginnings ?? null, times };
    this.#cutter = new RecordCutter(cutting, (stream, time, from, start, end, newline) => {
      if (this.#skip > 0) this.#skip--;
      else if (stream === STDOUT ? form.stdout : form.stderr) this.#add(stream, time, from, start, end, newline);
    });
  }

  /** Nothing more will come. */
  get over(): boolean {
    return this.#cutter.over;
  }

  /** Records of a block of complete lines, at an offset of the log. Valid until the call after the next. */
  render(block: Uint8Array, offset: number): Uint8Array {
    if (this.#passed !== undefined && offset !== this.#passed) this.#passGap();
    this.#passed = offset + block.length;
    this.#cutter.cut(this.#objects === null ? this.#output.beside(block) : block, offset);
    return this.#taken();
  }

  /** Records of lines that will never be completed: the log is over. */
  finish(): Uint8Array {
    this.#cutter.finish();
    return this.#taken();
  }

  /** Bytes in between were removed: the end of the current line, and records that were to be skipped. */
  #passGap(): void {
    this.#cutter.finish();
    this.#skip = 0;
  }

  #taken(): Uint8Array {
    const output = this.#output;
    this.#output = this.#other;
    this.#other = output;
    return output.taken();
  }

  #add(stream: number, time: Moment, from: Uint8Array, start: number, end: number, newline: boolean): void {
    const output = this.#output;
    if (this.#objects !== null) {
      const object = this.#objects.line(stream, time, from.subarray(start, end), newline);
      output.reserve(object.length);
      return output.add(object, 0, object.length);
    }
    const { framed, timestamps } = this.#form;
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
