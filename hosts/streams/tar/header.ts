// One header block of a tar: v7, ustar (POSIX.1-1988), pax (POSIX.1-2001) and GNU.

import { damaged } from "../../shared/index.js";
import type { HostFailure } from "../../shared/index.js";
import { BLOCK } from "./entry.js";
import { latin1Of } from "./latin1.js";

/** The fields of a header block, before pax and GNU records are applied. */
export interface Header {
  name: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  /** Seconds since 1970. */
  mtime: number;
  /** The type flag's character; `0` for the NUL of v7. */
  flag: string;
  target: string;
  major: number;
  minor: number;
}

/** Null for a block of zeros. */
export function parseHeader(block: Uint8Array): Header | null {
  if (!sumMatches(block)) {
    if (block.every((byte) => byte === 0)) return null;
    throw malformed();
  }
  const magic = latin1Of(block, 257, 263);
  const ustar = magic === "ustar\0";
  const name = text(block, 0, 100);
  const prefix = ustar ? text(block, 345, 500) : "";
  const known = ustar || magic === "ustar ";
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    mode: number(block, 100, 8),
    uid: owner(block, 108),
    gid: owner(block, 116),
    size: number(block, 124, 12),
    mtime: number(block, 136, 12),
    flag: String.fromCharCode(block[156] || 0x30),
    target: text(block, 157, 257),
    major: known ? number(block, 329, 8) : 0,
    minor: known ? number(block, 337, 8) : 0,
  };
}

export function malformed(): HostFailure {
  return damaged("tar-header");
}

/** Old writers added signed bytes. */
function sumMatches(block: Uint8Array): boolean {
  const said = octal(block, 148, 8);
  return said === sumOf(block) || said === sumOf(new Int8Array(block.buffer, block.byteOffset, BLOCK));
}

/**
 * A header's checksum. The field itself counts as spaces. V8 compiles this loop again after some hundred headers, which
 * takes little as long as it is alone in its function.
 */
export function sumOf(block: Uint8Array | Int8Array): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < 148; at++) sum += block[at]!;
  for (let at = 156; at < BLOCK; at++) sum += block[at]!;
  return sum;
}

function text(block: Uint8Array, from: number, to: number): string {
  const end = block.indexOf(0, from);
  return latin1Of(block, from, end < 0 || end > to ? to : end);
}

/** A number in the format of header blocks, including GNU's sparse maps. */
export function number(block: Uint8Array, from: number, length: number): number {
  const value = block[from]! & 0x80 ? Number(base256(block, from, length)) : octal(block, from, length);
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

function owner(block: Uint8Array, from: number): number {
  return block[from]! & 0x80 ? ownerOf(base256(block, from, 8)) : number(block, from, 8);
}

/** The kernel uses 32 bits of the number. */
export function ownerOf(value: bigint): number {
  return Number(BigInt.asUintN(32, value));
}

/** Digits up to a space or NUL, with any number of these before them; NaN if it is not a number. */
function octal(block: Uint8Array, from: number, length: number): number {
  const end = from + length;
  let at = from;
  while (at < end && isBlank(block[at]!)) at++;
  let value = 0;
  for (; at < end && !isBlank(block[at]!); at++) {
    const digit = block[at]! - 0x30;
    if (digit < 0 || digit > 7) return Number.NaN;
    value = value * 8 + digit;
  }
  return value;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0;
}

/** GNU's format for large and negative numbers: big-endian two's complement, marked by the highest bit. */
function base256(block: Uint8Array, from: number, length: number): bigint {
  const negative = (block[from]! & 0x40) !== 0;
  let value = negative ? -1n : 0n;
  for (let at = from; at < from + length; at++) {
    const byte = at === from ? (block[at]! & 0x7f) | (negative ? 0x80 : 0) : block[at]!;
    value = (value << 8n) | BigInt(byte);
  }
  return value;
}
