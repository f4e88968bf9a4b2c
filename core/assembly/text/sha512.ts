// SHA-512 and SHA-384 (FIPS 180-4), for digests of small documents that come from outside.

import { toHex } from "./hex";

/** The hash as 128 lowercase hex digits. */
export function sha512Hex(bytes: Uint8Array): string {
  return hashFrom(FIRST_512, bytes, 64);
}

/** The hash as 96 lowercase hex digits. */
export function sha384Hex(bytes: Uint8Array): string {
  return hashFrom(FIRST_384, bytes, 48);
}

/** The two differ in what they begin with and in how much they tell (§5.3.4, §6.5). */
function hashFrom(first: StaticArray<u64>, bytes: Uint8Array, size: i32): string {
  for (let i = 0; i < 8; i++) state[i] = first[i];
  const whole = bytes.length & ~127;
  for (let at = 0; at < whole; at += 128) block(bytes.dataStart + at);
  last(bytes, whole);
  const result = new Uint8Array(64);
  for (let i = 0; i < 8; i++) store<u64>(result.dataStart + (i << 3), bswap<u64>(state[i]));
  return toHex(result.subarray(0, size));
}

// Hashes the rest after the whole blocks, with a 1 bit, zeros, and the length in bits.
function last(bytes: Uint8Array, from: i32): void {
  const rest = bytes.length - from;
  const size = rest < 112 ? 128 : 256;
  const tail = new Uint8Array(size);
  memory.copy(tail.dataStart, bytes.dataStart + from, rest);
  tail[rest] = 0x80;
  store<u64>(tail.dataStart + size - 8, bswap<u64>((<u64>bytes.length) << 3));
  for (let at = 0; at < size; at += 128) block(tail.dataStart + at);
}

// §6.4.2
function block(at: usize): void {
  for (let i = 0; i < 16; i++) unchecked((words[i] = bswap<u64>(load<u64>(at + (i << 3)))));
  for (let i = 16; i < 80; i++) {
    const early = unchecked(words[i - 15]);
    const late = unchecked(words[i - 2]);
    const s0 = rotr<u64>(early, 1) ^ rotr<u64>(early, 8) ^ (early >> 7);
    const s1 = rotr<u64>(late, 19) ^ rotr<u64>(late, 61) ^ (late >> 6);
    unchecked((words[i] = words[i - 16] + s0 + words[i - 7] + s1));
  }
  let a = unchecked(state[0]);
  let b = unchecked(state[1]);
  let c = unchecked(state[2]);
  let d = unchecked(state[3]);
  let e = unchecked(state[4]);
  let f = unchecked(state[5]);
  let g = unchecked(state[6]);
  let h = unchecked(state[7]);
  for (let i = 0; i < 80; i++) {
    const s1 = rotr<u64>(e, 14) ^ rotr<u64>(e, 18) ^ rotr<u64>(e, 41);
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + unchecked(K[i] + words[i]);
    const s0 = rotr<u64>(a, 28) ^ rotr<u64>(a, 34) ^ rotr<u64>(a, 39);
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  unchecked((state[0] += a));
  unchecked((state[1] += b));
  unchecked((state[2] += c));
  unchecked((state[3] += d));
  unchecked((state[4] += e));
  unchecked((state[5] += f));
  unchecked((state[6] += g));
  unchecked((state[7] += h));
}

const state = new StaticArray<u64>(8);
const words = new StaticArray<u64>(80);

// First 64 bits of the fractions of the square roots of the first 8 primes (§5.3.5).
const FIRST_512: StaticArray<u64> = [
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
  0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
];

// The same of the 9th to the 16th prime (§5.3.4).
const FIRST_384: StaticArray<u64> = [
  0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
  0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
];

// First 64 bits of the fractions of the cube roots of the first 80 primes (§4.2.3).
const K: StaticArray<u64> = [
  0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
  0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
  0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
  0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
  0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
  0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
  0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
  0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
  0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
  0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
  0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
  0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
  0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
  0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
  0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
  0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];
