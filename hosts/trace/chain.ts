// The checksums that end a trace's lines. Each covers its line and the checksum before it. So they reveal a changed
// line, and a line that is missing, doubled or moved. They find faults, not forgers: anyone can compute new ones.

import { ByteWriter, ascii, twelveToBase64 } from "../shared/index.js";
import { Malformed } from "./codec.js";
import { murmur3 } from "../hashes/index.js";

const FRONT = ascii(',"sum":"');
const DIGITS = 16;
const BACK = ascii('"}');
const SUFFIX = /^,"sum":"([A-Za-z0-9+/]{16})"\}$/;
const SUFFIX_BYTES = FRONT.length + DIGITS + BACK.length;
const LF = 0x0a;

/** Bytes that the checksum adds to a line, whose closing brace moves behind it. */
export const SUM_BYTES = SUFFIX_BYTES - 1;

const NO_SUM = "expected a checksum at its end: the line was changed, or cut short";
const OTHER_SUM = "its checksum is wrong: the line was changed, or a line before it is missing, doubled or moved";

/** One writer is enough, since lines are processed one after the other. It keeps no large buffer. */
const writer = new ByteWriter();

/** Computes the checksums of one segment's lines, from its header on, one after the other. */
export class Chain {
  #seed: number;

  /** `behind`: the line before, or its end, if the chain continues after a line that already has its checksum. */
  constructor(behind?: string) {
    this.#seed = behind === undefined ? 0 : seedIn(behind);
  }

  /** A copy that continues independently of this chain. */
  fork(): Chain {
    const forked = new Chain();
    forked.#seed = this.#seed;
    return forked;
  }

  /** The line, a JSON object, with its checksum. */
  sealed(line: string): string {
    const text = line.slice(0, -1);
    return `${text},"sum":"${this.#sumOfText(text)}"}`;
  }

  /** The same for a writer that holds exactly this line. */
  seal(line: ByteWriter): void {
    line.takeBack(1);
    const sum = this.#sum(line.written);
    line.copy(FRONT);
    line.ascii(sum);
    line.copy(BACK);
  }

  /** The same for whole lines of UTF-8, each ended by LF, that `leavePlace` has written. */
  fill(lines: Uint8Array): void {
    for (let from = 0; from < lines.length;) {
      const end = lines.indexOf(LF, from);
      const sum = this.#sum(lines.subarray(from, end - SUFFIX_BYTES));
      const to = end - BACK.length - DIGITS;
      for (let at = 0; at < DIGITS; at++) lines[to + at] = sum.charCodeAt(at);
      from = end + 1;
    }
  }

  /** The line without its checksum. Throws `Malformed` if the checksum is missing or wrong. */
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
    // Frees the buffer of a snapshot's line, which is large.
    writer.clear();
    return sum;
  }

  #sum(bytes: Uint8Array): string {
    const digest = murmur3(bytes, this.#seed);
    this.#seed = seedOf(digest);
    return twelveToBase64(digest);
  }
}

/** Writes the line with room for its checksum, and its LF. Returns the position behind it. */
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

/** The first word of a checksum. */
function seedOf(digest: Uint8Array): number {
  return digest[0]! | (digest[1]! << 8) | (digest[2]! << 16) | (digest[3]! << 24);
}
