// The keys of the database's three trees: how they are ordered, and which can be one.

import { isUtf8 } from "node:buffer";
import { isJournal } from "./names.js";

export interface Keys {
  compare(one: Buffer, other: Buffer): number;
  /** Whether a tree can have such a key. */
  isKey(key: Buffer): boolean;
  /** Whether one can be believed where what surrounds it cannot. */
  isLikely(key: Buffer): boolean;
}

/** Numbers of transactions, 64 bits, little endian. */
export const FREE: Keys = {
  compare: (one, other) => Number(one.readBigUInt64LE() - other.readBigUInt64LE()),
  isKey: (key) => key.length === 8,
  isLikely: () => false,
};

/**
 * Text as it is (lmdb-js puts something before a character below 28: nothing that the core puts begins so). A key that is
 * no text, or has an end within, is told as another: under what it is told as, it could not be taken away.
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

/** Whole numbers from 1 on, as doubles: their 64 bits behind a 1 of four, without zeros at the end. */
export const ENTRIES: Keys = {
  compare: (one, other) => Buffer.compare(one, other),
  isKey: (key) => key.length >= SHORTEST && key.length <= LONGEST && key[0]! >> 4 === 1,
  isLikely: (key) => Number.isSafeInteger(positionOf(key)),
};

/** Of an entry; no number where it is no position. */
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
