// Parses a container's log as conmon writes it (its k8s-file format): `RFC3339NANO stdout|stderr P|F TEXT\n`. P is a
// part of a line: conmon cuts at its own read size. The texts of a stream's lines are what the process wrote; F adds a
// newline. One line is not conmon's: where a run's stream has ended without a newline, there is an E without text.

import type { LogBytes } from "../shared/index.js";
import { STDERR, STDOUT } from "./frames.js";
import { share } from "./share.js";

const NEWLINE = 0x0a;
const SPACE = 0x20;
const LETTER_E = 0x45;
const LETTER_F = 0x46;
const LETTER_O = 0x6f;

/** Length of `stdout F ` with its spaces. */
const TAG_LENGTH = 9;
/** conmon's times have nine digits and a numeric offset. */
const USUAL_TIME = 35;

/** The parts of one line. One object serves a whole log and moves from line to line. */
export class LogLine {
  /** Offset of the line, which begins with its time. */
  start = 0;
  /** End of its time. */
  timeEnd = 0;
  stream = STDOUT;
  /** The process wrote no newline after this text. */
  partial = false;
  /** A run's stream has ended here. There is no text, and no line continues beyond this. */
  ends = false;
  /** The text goes from here up to `end`, where the file's newline is. */
  text = 0;
  end = 0;

  /** Moves to the line at `start` of a block of complete lines. False if there is none or it is malformed. */
  read(block: Uint8Array, start: number): boolean {
    this.start = start;
    this.end = block.indexOf(NEWLINE, start);
    if (this.end < 0) return false;
    this.timeEnd = block[start + USUAL_TIME] === SPACE ? start + USUAL_TIME : block.indexOf(SPACE, start);
    this.text = this.timeEnd + 1 + TAG_LENGTH;
    if (this.timeEnd < 0 || this.text > this.end) return false;
    this.stream = block[this.timeEnd + 4] === LETTER_O ? STDOUT : STDERR;
    const tag = block[this.timeEnd + 8];
    this.partial = tag !== LETTER_F;
    this.ends = tag === LETTER_E;
    return true;
  }
}

const FIRST_BLOCK = 4096;
const LARGEST_BLOCK = 131_072;

/** Reads a log from an offset on, in blocks of complete lines. */
export class LogReader {
  readonly #log: LogBytes;
  readonly #drain: AbortSignal;
  readonly #gone: AbortSignal;
  readonly #unwatch: () => void;
  #offset: number;
  #buffer = new Uint8Array(FIRST_BLOCK);
  /** Bytes in the buffer, and how many of them belong to the last block. */
  #filled = 0;
  #given = 0;
  #grown = false;
  #wake: () => void = () => {};

  /** At the end of the log it waits for more until `drain`; `gone` ends it at once. */
  constructor(log: LogBytes, offset: number, drain: AbortSignal, gone: AbortSignal) {
    this.#log = log;
    this.#offset = offset;
    this.#drain = drain;
    this.#gone = gone;
    this.#unwatch = log.watch(this.#stir);
    drain.addEventListener("abort", this.#stir);
    gone.addEventListener("abort", this.#stir);
  }

  /** The next complete lines, valid until the next call; null at the end. An incomplete last line is left out. */
  async next(): Promise<Uint8Array | null> {
    this.#buffer.copyWithin(0, this.#given, this.#filled);
    this.#filled -= this.#given;
    this.#given = 0;
    while (this.#given === 0) {
      if (this.#filled === this.#buffer.length) this.#enlarge();
      const read = await this.#more();
      if (read === 0) return null;
      this.#filled += read;
      this.#given = this.#buffer.lastIndexOf(NEWLINE, this.#filled - 1) + 1;
    }
    const block = this.#buffer.subarray(0, this.#given);
    if (this.#filled === this.#buffer.length && this.#buffer.length < LARGEST_BLOCK) this.#enlarge();
    return block;
  }

  /** Offset of the last block's end in the log. */
  get passed(): number {
    return this.#offset - this.#filled + this.#given;
  }

  close(): void {
    this.#unwatch();
    this.#drain.removeEventListener("abort", this.#stir);
    this.#gone.removeEventListener("abort", this.#stir);
  }

  readonly #stir = (): void => {
    this.#grown = true;
    this.#wake();
  };

  /** The reader fell too far behind: the next bytes were removed, so the rest of the current line is lost, too. */
  async #jump(): Promise<void> {
    this.#offset = await this.#log.start();
    this.#filled = 0;
  }

  #enlarge(): void {
    const larger = new Uint8Array(this.#buffer.length * 2);
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  /** Reads into the free part of the buffer; 0 at the end. Always reads what was written before `drain`. */
  async #more(): Promise<number> {
    while (!this.#gone.aborted) {
      if (!share.begin()) {
        await share.next();
        continue;
      }
      const draining = this.#drain.aborted;
      this.#grown = false;
      const read = await this.#log.read(this.#offset, this.#buffer.subarray(this.#filled));
      share.ended(Math.max(read, 0));
      if (read < 0) {
        await this.#jump();
        continue;
      }
      this.#offset += read;
      if (read > 0) return read;
      if (draining) return 0;
      if (!this.#grown) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return 0;
  }
}
