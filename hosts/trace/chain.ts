// The sums that end a trace's lines. Each is made of its line and of the sum before it, so that a line that was changed is
// told, and so is one that is missing, doubled or moved. They tell of faults, and not of forgers: anyone can make them anew.

import { twelveToBase64 } from "./base64.js";
import { ByteWriter } from "./byte-writer.js";
import { Malformed, ascii } from "./codec.js";
import { murmur3 } from "./murmur3.js";

const FRONT = ascii(',"sum":"');
const DIGITS = 16;
const BACK = ascii('"}');
const SUFFIX = /^,"sum":"([A-Za-z0-9+/]{16})"\}$/;
const SUFFIX_BYTES = FRONT.length + DIGITS + BACK.length;
const LF = 0x0a;

/** Bytes that a line is longer by: its closing brace stands behind the sum. */
export const SUM_BYTES = SUFFIX_BYTES - 1;

const NO_SUM = "a sum was expected at its end: the line was changed, or cut short";
const OTHER_SUM = "its sum is another: the line was changed, or a line before it is missing, doubled or moved";

/** One will do: it is asked for one line after the other, and keeps no large one. */
const writer = new ByteWriter();

/** The lines of one segment, from its header on, one after the other. */
export class Chain {
  #seed: number;

  /** `behind`: a line with its sum, or its end, with which the chain has begun already. */
  constructor(behind?: string) {
    this.#seed = behind === undefined ? 0 : seedIn(behind);
  }

  /** To go on with apart from this one. */
  fork(): Chain {
    const forked = new Chain();
    forked.#seed = this.#seed;
    return forked;
  }

  /** The line, a JSON object, with its sum. */
  sealed(line: string): string {
    const text = line.slice(0, -1);
    return `${text},"sum":"${this.#sumOfText(text)}"}`;
  }

  /** The same of the line that was written, and nothing else. */
  seal(line: ByteWriter): void {
    line.takeBack(1);
    const sum = this.#sum(line.written);
    line.copy(FRONT);
    line.ascii(sum);
    line.copy(BACK);
  }

  /** The same of whole lines of UTF-8, each ended by LF, which `leavePlace` has written. */
  fill(lines: Uint8Array): void {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(LF, from);
      const sum = this.#sum(lines.subarray(from, end - SUFFIX_BYTES));
      const to = end - BACK.length - DIGITS;
      for (let at = 0; at < DIGITS; at++) lines[to + at] = sum.charCodeAt(at);
      from = end + 1;
    }
  }

  /** The line without its sum. Throws `Malformed` where that is not the one that has to be there. */
  unsealed(line: string): string {
    const [, sum] = SUFFIX.exec(line.slice(-SUFFIX_BYTES)) ?? [];
    if (sum === undefined) throw new Malformed(NO_SUM);
    const text = line.slice(0, -SUFFIX_BYTES);
    if (this.#sumOfText(text) !== sum) throw new Malformed(OTHER_SUM);
    return `${text}}`;
  }

  #sumOfText(text: string): string {
    writer.clear();
    writer.utf8(text);
    const sum = this.#sum(writer.written);
    // A snapshot's line is large.
    writer.clear();
    return sum;
  }

  #sum(bytes: Uint8Array): string {
    const digest = murmur3(bytes, this.#seed);
    this.#seed = seedOf(digest);
    return twelveToBase64(digest);
  }
}

/** Writes the line, its LF behind it and a place for its sum. Gives where it ends. */
export function leavePlace(line: Uint8Array, to: Uint8Array, at: number): number {
  to.set(line, at);
  const front = at + line.length - 1;
  to.set(FRONT, front);
  const back = front + FRONT.length + DIGITS;
  to.fill(0x20, front + FRONT.length, back);
  to.set(BACK, back);
  to[back + BACK.length] = LF;
  return back + BACK.length + 1;
}

function seedIn(line: string): number {
  const [, sum] = SUFFIX.exec(line.slice(-SUFFIX_BYTES)) ?? [];
  return sum === undefined ? 0 : seedOf(Uint8Array.from(atob(sum), (unit) => unit.charCodeAt(0)));
}

/** The first word of a sum. */
function seedOf(digest: Uint8Array): number {
  return digest[0]! | (digest[1]! << 8) | (digest[2]! << 16) | (digest[3]! << 24);
}
