// The keys of the database's three trees: their order, and which keys are valid.

import { isUtf8 } from "node:buffer";
import { isJournal } from "./names.js";

export interface Keys {
  compare(one: Buffer, other: Buffer): number;
  /** Whether a tree can have this key. */
  isKey(key: Buffer): boolean;
  /** Whether a key is credible even if the page around it is damaged. */
  isLikely(key: Buffer): boolean;
}

/** Transaction numbers: 64 bits, little endian. */
export const FREE: Keys = {
  compare: (one, other) => Number(one.readBigUInt64LE() - other.readBigUInt64LE()),
  isKey: (key) => key.length === 8,
  isLikely: () => false,
};

/**
 * Plain text. (lmdb-js puts a byte before a first character below 28, but none of the core's keys starts like that.) A
 * key that is not text, or contains NUL, is invalid: lmdb-js would report it under another name, which could not be
 * removed.
 */
export const RECORDS: Keys = {
  compare: (one, other) => Buffer.compare(one, other),
  isKey: (key) => key.length > 0 && key[0]! >= FIRST_CHARACTER && isUtf8(key) && isOne(key),
  isLikely: (key) => {
    const text = key.toString();
    return isJournal(text) || (/^[a-z]+\/./.test(text) && Buffer.from(text).equals(key));
  },
};
const FIRST_CHARACTER = 27;

function isOne(key: Buffer): boolean {
  return !key.includes(0) || isJournal(key.toString());
}

/** Whole numbers from 1 on, as doubles: the 64 bits follow a 1 of four bits, and zeros at the end are left out. */
export const ENTRIES: Keys = {
  compare: (one, other) => Buffer.compare(one, other),
  isKey: (key) => key.length >= SHORTEST && key.length <= LONGEST && key[0]! >> 4 === 1,
  isLikely: (key) => Number.isSafeInteger(positionOf(key)),
};

/** The position of an entry; NaN if the key is none. */
export function positionOf(key: Buffer): number {
  if (!ENTRIES.isKey(key)) return Number.NaN;
  const whole = Buffer.alloc(LONGEST);
  key.copy(whole);
  const bits = (BigInt(`0x${whole.toString("hex")}`) >> 4n) & 0xffff_ffff_ffff_ffffn;
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(bits);
  const position = value.readDoubleBE();
  return position >= 1 ? position : Number.NaN;
}

const SHORTEST = 4;
const LONGEST = 9;
