// Records what a driver's core is told, segment by segment: a flight recorder, if its sink keeps only the newest.

import type { Input } from "../host.js";
import type { Attempt, ObservedStep, Observer, Opening } from "../observer.js";
import { withoutCredentials } from "./credentials.js";
import type { End, OutputHashes, Start } from "./format.js";
import { hashesOf } from "./hash.js";
import type { Sha256 } from "./hash.js";
import { callLine, endLine, headerLine, startLine } from "./lines.js";

/** Where a trace goes, line by line. Must not throw. */
export interface Sink {
  /** A segment begins: what is appended from now on is its. */
  begin(segment: number): void;
  /** One line of the newest segment, without its LF. */
  append(line: string): void;
  /** A segment is not to be kept any longer: always the oldest. */
  drop(segment: number): void;
}

/** What a recorder writes, and how much of it is kept. */
export interface RecorderOptions {
  /** What the core is called by: SHA-256 of its wasm, in hex (`coreIdentity`). */
  core: string;
  /** Where the lines go. */
  sink: Sink;
  /** A segment has so many inputs, and then the next begins; 5,000 if not given. */
  inputs?: number;
  /** Or its inputs have so many characters (as many as its snapshot, if that is more); 4 Mi if not given. */
  characters?: number;
  /** So many segments are kept; 16 if not given. */
  segments?: number;
  /** A portable one if not given. */
  sha256?: Sha256;
}

/** Watches a driver, and writes a trace. */
export class Recorder implements Observer {
  readonly #core: string;
  readonly #sink: Sink;
  readonly #inputs: number;
  readonly #characters: number;
  readonly #segments: number;
  readonly #sha256: Sha256 | undefined;
  #number = 0;
  #oldest = 1;
  #inputsIn = 0;
  #charactersIn = 0;
  #charactersLeft = 0;

  constructor({ core, sink, inputs = 5000, characters = 4 << 20, segments = 16, sha256 }: RecorderOptions) {
    this.#core = core;
    this.#sink = sink;
    this.#inputs = inputs;
    this.#characters = characters;
    this.#segments = segments;
    this.#sha256 = sha256;
  }

  opened({ epoch, now, outputs }: ObservedStep, opening: Opening): void {
    this.#begin(epoch, 0, { tag: "open", now, opening, out: hashesOf(outputs, false, this.#sha256) });
  }

  stepped(step: ObservedStep, input: Input): void {
    this.#call(step.now, input, (masked) => hashesOf(step.outputs, masked, this.#sha256));
    if (this.#inputsIn < this.#inputs && this.#charactersIn < this.#charactersLeft) return;
    const snapshot = step.snapshot();
    this.#end({ why: "continued" });
    this.#begin(step.epoch, step.step, { tag: "snapshot", snapshot });
  }

  lost(epoch: number, error: unknown, during?: Attempt): void {
    if (during !== undefined && "opening" in during) {
      this.#begin(epoch, 0, { tag: "open", now: during.now, opening: during.opening, out: null });
    } else if (during !== undefined) {
      this.#call(during.now, during.input, () => null);
    }
    this.#end({ why: "lost", error: error instanceof Error ? error.message : String(error) });
  }

  #begin(epoch: number, step: number, start: Start): void {
    this.#number++;
    this.#sink.begin(this.#number);
    while (this.#number - this.#oldest >= this.#segments) this.#sink.drop(this.#oldest++);
    this.#sink.append(headerLine({ core: this.#core, number: this.#number, epoch, step }));
    const line = startLine(start);
    this.#sink.append(line);
    this.#inputsIn = this.#charactersIn = 0;
    this.#charactersLeft = Math.max(this.#characters, line.length);
  }

  #call(now: ObservedStep["now"], input: Input, hash: (masked: boolean) => OutputHashes | null): void {
    const masked = withoutCredentials(input);
    const line = callLine({ now, ...masked, out: hash(masked.masked) });
    this.#sink.append(line);
    this.#inputsIn++;
    this.#charactersIn += line.length + 1;
  }

  #end(end: End): void {
    this.#sink.append(endLine(end));
  }
}
