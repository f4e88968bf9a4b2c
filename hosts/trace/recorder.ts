// Records the inputs of a driver's core, segment by segment. With a sink that keeps only the newest segments, it is a
// flight recorder.

import { ByteWriter } from "../shared/index.js";
import type { Input, StepOutputs } from "../shared/index.js";
import type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../driver/index.js";
import { Chain, SUM_BYTES } from "./chain.js";
import { withoutCredentials } from "../redaction/index.js";
import type { End, Start } from "./format.js";
import { hashesOf } from "../hashes/index.js";
import { endLine, headerLine, startLine, usualLength, writeCall, writeOpening } from "./lines.js";
import type { Opened } from "./lines.js";

/** The most characters of a lost instance's error, since readers look for a short line at a segment's end. */
const LONGEST_ERROR = 1000;

/** Receives a trace line by line, each with its checksum. Must not throw. */
export interface Sink {
  /**
   * Whether the sink accepts lines of a segment. Without this method it always does. The recorder stops a segment that
   * is refused, and begins the next one as soon as the sink accepts that.
   */
  takes?(segment: number): boolean;
  /** Whether the newest segment is nearly full. If it is, the recorder begins another one early enough. */
  isNearlyFull?(): boolean;
  /** Begins a segment. The following lines belong to it. */
  begin(segment: number): void;
  /** Appends one line to the newest segment, without its LF. */
  append(line: string): void;
  /** Replaces `append` if given. The line is bytes of UTF-8, which are valid only during the call. */
  appendBytes?(line: Uint8Array): void;
  /** Drops a segment, always the oldest. */
  drop(segment: number): void;
}

/**
 * A sink that compresses lines, at a time of its choice. It receives lines without their checksums and computes these
 * itself (see format.ts), since they cover the compressed text.
 */
export interface ShorteningSink extends Sink {
  readonly makesSums: true;
  /** Takes the snapshot with which a continuing segment begins, instead of its line. */
  snapshot(bytes: Uint8Array): void;
  /** Takes the line with which any other segment begins, as bytes of UTF-8 that nobody else uses: it may be long. */
  opening(line: Uint8Array): void;
}

/** What a recorder writes, and how much of it is kept. */
export interface RecorderOptions {
  /** The core's identity: SHA-256 of its wasm, in hex (`coreIdentity`). */
  core: string;
  /** Receives the lines. */
  sink: Sink;
  /** A segment ends after this many inputs. The default is 5,000. */
  inputs?: number;
  /**
   * A segment also ends after this many bytes of UTF-8 in its inputs' lines, or after as many as its snapshot's line
   * has if that is more. The default is 4 Mi.
   */
  bytes?: number;
  /** The upper limit for these bytes, however long the snapshot is. */
  mostBytes?: number;
  /**
   * This many bytes of pages of the journal do not count towards `bytes`. Readers often ask for the same pages again,
   * and then these compress well. If they do not, the sink reports that it is nearly full. The default is 0.
   */
  pageBytes?: number;
  /** This many segments are kept. The default is 16. */
  segments?: number;
  /** Number of the first segment. The default is 1. */
  first?: number;
  /** Schedules the writing. The default is to write at once. Must keep the order. */
  later?: (work: () => void) => void;
}

/** Observes a driver, and writes a trace. */
export class Recorder implements Observer {
  readonly #core: string;
  readonly #sink: Sink;
  readonly #shortening: ShorteningSink | null;
  readonly #inputs: number;
  readonly #bytes: number;
  readonly #mostBytes: number;
  readonly #pageBytes: number;
  readonly #segments: number;
  /** The newest segment's chain, or null if the sink computes the checksums. */
  #chain: Chain | null;
  /** The current line. */
  readonly #line = new ByteWriter();
  readonly #later: (work: () => void) => void;
  #number: number;
  #oldest: number;
  #isOpen = false;
  #inputsIn = 0;
  #bytesIn = 0;
  /** Infinite until the segment's start is written. Until then the sink still reports on the segment before. */
  #bytesLeft = Infinity;
  #pageBytesLeft = 0;

  constructor(options: RecorderOptions) {
    const { core, sink, inputs = 5000, bytes = 4 << 20, segments = 16, first = 1 } = options;
    this.#core = core;
    this.#sink = sink;
    this.#shortening = isShortening(sink) ? sink : null;
    this.#chain = this.#shortening === null ? new Chain() : null;
    this.#inputs = inputs;
    this.#bytes = bytes;
    this.#mostBytes = options.mostBytes ?? Infinity;
    this.#pageBytes = options.pageBytes ?? 0;
    this.#segments = segments;
    this.#later = options.later ?? ((work) => work());
    this.#number = first - 1;
    this.#oldest = first;
  }

  /** Number of the newest segment. */
  get segment(): number {
    return this.#number;
  }

  opened({ epoch, now, outputs }: ObservedStep, opening: Opening): void {
    if (!this.#takes(this.#number + 1)) return;
    this.#begin(epoch, 0, () => ({ tag: "open", now, opening, out: hashesOf(outputs, false) }));
  }

  stepped(step: ObservedStep, input: Input): void {
    if (!this.#isOpen || !this.#takes(this.#number)) return this.#resume(step);
    const { now, outputs } = step;
    this.#call(now, input, outputs);
    if (this.#isOver()) this.#goOn(step);
  }

  /** The driver is idle: ends a segment that would end soon, so that no request has to wait for the snapshot. */
  rested(rest: ObservedRest): void {
    if (!this.#isOpen || !this.#takes(this.#number)) return;
    if (this.#bytesIn >= this.#bytesLeft / 2) this.#goOn(rest);
  }

  /** Must also be called when the driver is closed. */
  lost(epoch: number, error: unknown, during?: Attempt): void {
    if (during !== undefined && "opening" in during) {
      if (!this.#takes(this.#number + 1)) return;
      const { now, opening } = during;
      this.#begin(epoch, 0, () => ({ tag: "open", now, opening, out: null }));
    } else if (during !== undefined && this.#isOpen) {
      this.#call(during.now, during.input, null);
    }
    const said = error instanceof Error ? error.message : String(error);
    if (this.#isOpen) this.#end({ why: "lost", error: said.slice(0, LONGEST_ERROR) });
  }

  #isOver(): boolean {
    if (this.#inputsIn >= this.#inputs || this.#bytesIn >= this.#bytesLeft) return true;
    // Without this check, a snapshot that leaves little room would cause another snapshot in each step.
    const isWorthIt = this.#bytesIn + this.#pageBytes - this.#pageBytesLeft >= this.#bytes;
    return this.#bytesLeft < Infinity && isWorthIt && (this.#sink.isNearlyFull?.() ?? false);
  }

  #takes(segment: number): boolean {
    return this.#sink.takes?.(segment) ?? true;
  }

  /** Continues in the next segment. */
  #goOn(rest: ObservedRest): void {
    const snapshot = rest.snapshot();
    this.#end({ why: "continued" });
    this.#begin(rest.epoch, rest.step, () => ({ tag: "snapshot", snapshot }));
  }

  /** Continues in a new segment after steps that were not recorded, this one included. */
  #resume(step: ObservedStep): void {
    this.#isOpen = false;
    if (!this.#takes(this.#number + 1)) return;
    const snapshot = step.snapshot();
    this.#begin(step.epoch, step.step, () => ({ tag: "snapshot", snapshot }));
  }

  #begin(epoch: number, step: number, start: () => Start): void {
    const number = ++this.#number;
    this.#isOpen = true;
    this.#inputsIn = 0;
    this.#bytesLeft = Infinity;
    this.#later(() => {
      this.#sink.begin(number);
      while (number - this.#oldest >= this.#segments) this.#sink.drop(this.#oldest++);
      this.#chain &&= new Chain();
      this.#append(headerLine({ core: this.#core, number, epoch, step }));
      this.#bytesIn = 0;
      this.#pageBytesLeft = this.#pageBytes;
      this.#bytesLeft = Math.max(this.#bytes, Math.min(this.#start(start()), this.#mostBytes));
    });
  }

  /** Writes the start of a segment. Returns the length of its line, uncompressed. */
  #start(start: Start): number {
    if (start.tag === "open") return this.#opening(start);
    if (this.#shortening !== null) {
      this.#shortening.snapshot(start.snapshot);
      return Math.ceil(start.snapshot.length / 3) * 4;
    }
    const line = startLine(start);
    this.#append(line);
    return line.length;
  }

  /** The line has all records. It is written as bytes, and once: no copy of them is made. */
  #opening(start: Opened): number {
    this.#line.clear();
    this.#line.expect(usualLength(start));
    writeOpening(start, this.#line);
    const { length } = this.#line;
    if (this.#shortening !== null) this.#shortening.opening(this.#line.take());
    else this.#appendLine();
    this.#line.clear();
    return length;
  }

  #append(line: string): void {
    this.#sink.append(this.#chain?.sealed(line) ?? line);
  }

  /** Records a call. `outputs` is null if the core trapped. */
  #call(now: ObservedStep["now"], input: Input, outputs: StepOutputs | null): void {
    this.#inputsIn++;
    this.#later(() => {
      const masked = withoutCredentials(input, outputs !== null && isRefusal(outputs));
      this.#line.clear();
      writeCall({ now, ...masked, out: outputs && hashesOf(outputs, masked.masked) }, this.#line);
      const bytes = this.#line.length + SUM_BYTES + 1;
      this.#appendLine();
      this.#count(input, bytes);
    });
  }

  #appendLine(): void {
    this.#chain?.seal(this.#line);
    if (this.#sink.appendBytes !== undefined) this.#sink.appendBytes(this.#line.written);
    else this.#sink.append(this.#line.text());
  }

  #count(input: Input, bytes: number): void {
    const beside = isJournalPage(input) ? Math.min(bytes, this.#pageBytesLeft) : 0;
    this.#pageBytesLeft -= beside;
    this.#bytesIn += bytes - beside;
  }

  #end(end: End): void {
    this.#isOpen = false;
    this.#later(() => this.#append(endLine(end)));
  }
}

function isShortening(sink: Sink): sink is ShorteningSink {
  return "makesSums" in sink;
}

/** Whether the step did nothing but refuse a request. */
function isRefusal({ records, effects, replies }: StepOutputs): boolean {
  if (records.length > 0 || effects.length > 0) return false;
  return (
    replies.length === 1 && replies.every(({ command }) => command.tag === "whole" && command.val.head.status >= 400)
  );
}

function isJournalPage(input: Input): boolean {
  if (input.tag !== "completed") return false;
  const { outcome } = input.val;
  return outcome.tag === "ok" && outcome.val.tag === "journal";
}
