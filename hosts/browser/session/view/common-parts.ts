// Deduplicates similar answers, such as a list of containers and the one a second before: equal parts are stored once.

import { murmur3 } from "../../../hashes/index.js";

/** A part has at least this many bytes and ends at the next brace, or at the largest size if there is none. */
const LEAST = 256;
const MOST = 4096;
const BRACE = 0x7d;

export class CommonParts {
  /** By their hashes; different parts may have the same hash. */
  readonly #parts = new Map<number, Uint8Array[]>();
  #bytes = 0;

  /** Bytes stored. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the parts that make up the bytes. They are read-only. */
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
    // A copy, because a slice would keep the whole buffer alive.
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
