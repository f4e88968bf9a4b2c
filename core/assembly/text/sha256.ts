// SHA-256 (FIPS 180-4), for ids, chain ids and digests of small documents. Layers are hashed by the host.

import { toHex } from "./hex";
import { encodeUtf8 } from "./utf8";

/** The hash: 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  for (let i = 0; i < 8; i++) state[i] = FIRST[i];
  const whole = bytes.length & ~63;
  for (let at = 0; at < whole; at += 64) block(bytes.dataStart + at);
  last(bytes, whole);
  const result = new Uint8Array(32);
  for (let i = 0; i < 8; i++) store<u32>(result.dataStart + (i << 2), bswap<u32>(state[i]));
  return result;
}

/** The hash as 64 lowercase hex digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}

/** The same for the UTF-8 of a string. */
export function sha256HexOfText(text: string): string {
  return sha256Hex(encodeUtf8(text));
}

/** `sha256:` and 64 digits: a digest in the form of manifests and records. */
export function digestOf(bytes: Uint8Array): string {
  return "sha256:" + sha256Hex(bytes);
}

// Hashes the rest after the whole blocks, with a 1 bit, zeros, and the length in bits.
function last(bytes: Uint8Array, from: i32): void {
  const rest = bytes.length - from;
  const size = rest < 56 ? 64 : 128;
  const tail = new Uint8Array(size);
  memory.copy(tail.dataStart, bytes.dataStart + from, rest);
  tail[rest] = 0x80;
  store<u64>(tail.dataStart + size - 8, bswap<u64>((<u64>bytes.length) << 3));
  for (let at = 0; at < size; at += 64) block(tail.dataStart + at);
}

// §6.2.2
function block(at: usize): void {
  for (let i = 0; i < 16; i++) unchecked((words[i] = bswap<u32>(load<u32>(at + (i << 2)))));
  for (let i = 16; i < 64; i++) {
    const early = unchecked(words[i - 15]);
    const late = unchecked(words[i - 2]);
    const s0 = rotr<u32>(early, 7) ^ rotr<u32>(early, 18) ^ (early >> 3);
    const s1 = rotr<u32>(late, 17) ^ rotr<u32>(late, 19) ^ (late >> 10);
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
  for (let i = 0; i < 64; i++) {
    const s1 = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + unchecked(K[i] + words[i]);
    const s0 = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
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

const state = new StaticArray<u32>(8);
const words = new StaticArray<u32>(64);

// First 32 bits of the fractions of the square roots of the first 8 primes (§5.3.3).
const FIRST: StaticArray<u32> = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

// First 32 bits of the fractions of the cube roots of the first 64 primes (§4.2.2).
const K: StaticArray<u32> = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
];
