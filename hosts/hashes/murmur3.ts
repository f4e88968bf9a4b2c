// MurmurHash3 for 32-bit machines, 128 bits wide (Austin Appleby, public domain; SMHasher's `MurmurHash3_x86_128`). It
// distinguishes values that differ by accident, not by intent, and in plain JavaScript it is as fast as SHA-256 in
// hardware.

const [C1, C2, C3, C4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
const BLOCK = 16;

/** The last view. A new one costs time, and most calls come with the same reused buffer. */
let known: DataView = new DataView(new ArrayBuffer(0));

/** Sixteen bytes: four little-endian words. */
export function murmur3(bytes: Uint8Array, seed = 0): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  const view = known.buffer === buffer ? known : (known = new DataView(buffer));
  const end = byteOffset + length - (length % BLOCK);
  let [h1, h2, h3, h4] = [seed, seed, seed, seed];
  for (let at = byteOffset; at < end; at += BLOCK) {
    h1 = (rotated(h1 ^ mixed1(view.getInt32(at, true)), 19) + h2) | 0;
    h1 = (Math.imul(h1, 5) + 0x561ccd1b) | 0;
    h2 = (rotated(h2 ^ mixed2(view.getInt32(at + 4, true)), 17) + h3) | 0;
    h2 = (Math.imul(h2, 5) + 0x0bcaa747) | 0;
    h3 = (rotated(h3 ^ mixed3(view.getInt32(at + 8, true)), 15) + h4) | 0;
    h3 = (Math.imul(h3, 5) + 0x96cd1c35) | 0;
    h4 = (rotated(h4 ^ mixed4(view.getInt32(at + 12, true)), 13) + h1) | 0;
    h4 = (Math.imul(h4, 5) + 0x32ac3b17) | 0;
  }
  const last = byteOffset + length;
  h1 ^= mixed1(tail(view, end, last)) ^ length;
  h2 ^= mixed2(tail(view, end + 4, last)) ^ length;
  h3 ^= mixed3(tail(view, end + 8, last)) ^ length;
  h4 ^= mixed4(tail(view, end + 12, last)) ^ length;
  return finished(h1, h2, h3, h4);
}

/** The word that begins at `from`. Bytes from `end` on count as zero. */
function tail(view: DataView, from: number, end: number): number {
  let word = 0;
  for (let at = Math.min(end, from + 4) - 1; at >= from; at--) word = (word << 8) | view.getUint8(at);
  return word;
}

function finished(h1: number, h2: number, h3: number, h4: number): Uint8Array {
  const sum = (h1 + h2 + h3 + h4) | 0;
  const [a, b, c, d] = [avalanched(sum), avalanched(h2 + sum), avalanched(h3 + sum), avalanched(h4 + sum)];
  const first = (a + b + c + d) | 0;
  const digest = new Uint8Array(BLOCK);
  put(digest, 0, first);
  put(digest, 4, b + first);
  put(digest, 8, c + first);
  put(digest, 12, d + first);
  return digest;
}

function put(digest: Uint8Array, at: number, word: number): void {
  digest[at] = word;
  digest[at + 1] = word >>> 8;
  digest[at + 2] = word >>> 16;
  digest[at + 3] = word >>> 24;
}

/** The finalizer: each bit of the word affects all bits of the result. */
function avalanched(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function mixed1(word: number): number {
  return Math.imul(rotated(Math.imul(word, C1), 15), C2);
}

function mixed2(word: number): number {
  return Math.imul(rotated(Math.imul(word, C2), 16), C3);
}

function mixed3(word: number): number {
  return Math.imul(rotated(Math.imul(word, C3), 17), C4);
}

function mixed4(word: number): number {
  return Math.imul(rotated(Math.imul(word, C4), 18), C1);
}
