// Records what a driver's core is told, segment by segment: a flight recorder, if its sink keeps only the newest.

import type { Input } from "../shared/host.js";
import type { StepOutputs } from "../shared/outputs.js";
import type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../driver/index.js";
import { ByteWriter } from "./byte-writer.js";
import { Chain, SUM_BYTES } from "./chain.js";
import { withoutCredentials } from "./credentials.js";
import type { End, Start } from "./format.js";
import { hashesOf } from "./hash.js";
import { endLine, headerLine, startLine, writeCall } from "./lines.js";

/** Characters of what is told of a lost instance: readers of segments look for short lines at their ends. */
const LONGEST_ERROR = 1000;

/** Where a trace goes, line by line, each with its sum. Must not throw. */
export interface Sink {
  /**
   * Whether lines of a segment are taken; if not given, they are. Of one that is not taken any more the recorder writes
   * nothing more, and begins another as soon as that would be.
   */
  takes?(segment: number): boolean;
  /** Whether the newest segment has nearly as many bytes as it may have: then the recorder begins another, in good time. */
  isNearlyFull?(): boolean;
  /** A segment begins: what is appended from now on is its. */
  begin(segment: number): void;
  /** One line of the newest segment, without its LF. */
  append(line: string): void;
  /** The same, where it is given: a line as bytes of UTF-8, which are valid during the call. */
  appendBytes?(line: Uint8Array): void;
  /** A segment is not to be kept any longer: always the oldest. */
  drop(segment: number): void;
}

/**
 * A sink that writes lines in short, in its own time. It is given all lines without their sums, and makes these itself (see
 * format.ts): they are of what is written.
 */
export interface ShorteningSink extends Sink {
  readonly makesSums: true;
  /** In place of the line with which a segment begins that goes on. */
  snapshot(bytes: Uint8Array): void;
}

/** What a recorder writes, and how much of it is kept. */
export interface RecorderOptions {
  /** What the core is called by: SHA-256 of its wasm, in hex (`coreIdentity`). */
  core: string;
  /** Where the lines go. */
  sink: Sink;
  /** A segment has so many inputs, and then the next begins; 5,000 if not given. */
  inputs?: number;
  /**
   * Or its inputs' lines so many bytes of UTF-8 (as many as the line with its snapshot has, if that is more); 4 Mi if not
   * given.
   */
  bytes?: number;
  /** But not more bytes than this, however long the snapshot is. */
  mostBytes?: number;
  /**
   * Besides, it has so many bytes of pages of the journal: readers have the same ones told again and again, and deflated
   * they are little, as a rule: the sink says if they are not. None if not given: then they are counted as all else is.
   */
  pageBytes?: number;
  /** So many segments are kept; 16 if not given. */
  segments?: number;
  /** Number of the first segment; 1 if not given. */
  first?: number;
  /** When what happened is written down: at once if not given. Must keep the order. */
  later?: (work: () => void) => void;
}

/** Watches a driver, and writes a trace. */
export class Recorder implements Observer {
  readonly #core: string;
  readonly #sink: Sink;
  readonly #shortening: ShorteningSink | null;
  readonly #inputs: number;
  readonly #bytes: number;
  readonly #mostBytes: number;
  readonly #pageBytes: number;
  readonly #segments: number;
  /** Of the newest segment; null where the sink makes the sums. */
  #chain: Chain | null;
  /** The line that is written. */
  readonly #line = new ByteWriter();
  readonly #later: (work: () => void) => void;
  #number: number;
  #oldest: number;
  #isOpen = false;
  #inputsIn = 0;
  #bytesIn = 0;
  /** Infinite until it is written down that the segment begins: until then the sink has the one before in mind. */
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

  /** Number of the segment that was begun last. */
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

  /** A segment that would end soon ends now, and so no request waits for the snapshot. */
  rested(rest: ObservedRest): void {
    if (!this.#isOpen || !this.#takes(this.#number)) return;
    if (this.#bytesIn >= this.#bytesLeft / 2) this.#goOn(rest);
  }

  /** Also to be told when the driver is closed. */
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
    // Where a snapshot leaves little room, there would be another one for each step.
    const isWorthIt = this.#bytesIn + this.#pageBytes - this.#pageBytesLeft >= this.#bytes;
    return this.#bytesLeft < Infinity && isWorthIt && (this.#sink.isNearlyFull?.() ?? false);
  }

  #takes(segment: number): boolean {
    return this.#sink.takes?.(segment) ?? true;
  }

  /** In the next segment. */
  #goOn(rest: ObservedRest): void {
    const snapshot = rest.snapshot();
    this.#end({ why: "continued" });
    this.#begin(rest.epoch, rest.step, () => ({ tag: "snapshot", snapshot }));
  }

  /** Behind steps that are not written down, this one among them. */
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

  /** Its bytes, whether or not they are written in short. */
  #start(start: Start): number {
    if (start.tag === "snapshot" && this.#shortening !== null) {
      this.#shortening.snapshot(start.snapshot);
      return Math.ceil(start.snapshot.length / 3) * 4;
    }
    const line = startLine(start);
    this.#append(line);
    return line.length;
  }

  #append(line: string): void {
    this.#sink.append(this.#chain?.sealed(line) ?? line);
  }

  /** Without outputs if it trapped. */
  #call(now: ObservedStep["now"], input: Input, outputs: StepOutputs | null): void {
    this.#inputsIn++;
    this.#later(() => {
      const masked = withoutCredentials(input, outputs !== null && isRefusal(outputs));
      this.#line.clear();
      writeCall({ now, ...masked, out: outputs && hashesOf(outputs, masked.masked) }, this.#line);
      const bytes = this.#line.length + SUM_BYTES + 1;
      this.#chain?.seal(this.#line);
      if (this.#sink.appendBytes !== undefined) this.#sink.appendBytes(this.#line.written);
      else this.#sink.append(this.#line.text());
      this.#count(input, bytes);
    });
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

/** Nothing but that. */
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
