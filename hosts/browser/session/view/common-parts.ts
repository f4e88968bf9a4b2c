// Answers that have much in common, as a list of containers has with the one of a second ago: equal parts are kept once.

import { murmur3 } from "../../../trace/murmur3.js";

/** A part has at least so many bytes, and ends with the next brace; where there is none, at the most. */
const LEAST = 256;
const MOST = 4096;
const BRACE = 0x7d;

export class CommonParts {
  /** By their hashes: different ones may have the same. */
  readonly #parts = new Map<number, Uint8Array[]>();
  #bytes = 0;

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Gives the parts that bytes consist of, one after the other. They are for reading only. */
  keep(bytes: Uint8Array): readonly Uint8Array[] {
    const parts: Uint8Array[] = [];
    for (let from = 0; from < bytes.length;) {
      const brace = bytes.indexOf(BRACE, from + LEAST - 1);
      const end = Math.min(brace < 0 ? bytes.length : brace + 1, from + MOST);
      parts.push(this.#part(bytes.subarray(from, end)));
      from = end;
    }
    return parts;
  }

  #part(part: Uint8Array): Uint8Array {
    const [a, b, c, d] = murmur3(part);
    const hash = a! | (b! << 8) | (c! << 16) | (d! << 24);
    const alike = this.#parts.get(hash) ?? [];
    const known = alike.find((one) => areEqual(one, part));
    if (known !== undefined) return known;
    // Not the part itself: all that it was cut from would stay with it.
    const copy = part.slice();
    this.#parts.set(hash, [...alike, copy]);
    this.#bytes += copy.length;
    return copy;
  }
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
