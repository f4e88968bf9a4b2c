// Damages a journal, as a disk may do that loses or corrupts data.

import type { records } from "../../../hosts/shared/host.js";

type Entries = readonly records.JournalEntry[];

/** The most entries of a lost segment. */
const SEGMENT = 16;
/** A large stride, so that consecutive numbers choose distant bits. */
const STRIDE = 7919;

/** Kinds of damage to a journal with at least one entry. `number` chooses the place. */
const DAMAGES: Readonly<Record<string, (whole: Entries, number: number) => Entries>> = {
  /** The last entry is cut off. */
  torn: (whole, number) => {
    const last = whole.at(-1)!;
    return [...whole.slice(0, -1), { ...last, bytes: last.bytes.slice(0, number % last.bytes.length) }];
  },
  /** One bit of an entry is flipped. */
  flipped: (whole, number) => {
    const at = number % whole.length;
    return whole.map((entry, place) => (place === at ? { ...entry, bytes: flipped(entry.bytes, number) } : entry));
  },
  /** A segment is missing, but never the last entry: without it, the loss could not be detected. */
  lost: (whole, number) => {
    const from = number % whole.length;
    const to = Math.min(from + 1 + (number % SEGMENT), whole.length - 1);
    return [...whole.slice(0, from), ...whole.slice(Math.max(from, to))];
  },
};

/** Throws for an unknown kind of damage. */
export function damagedJournal(whole: Entries, how: string, number: number): Entries {
  const damage = DAMAGES[how];
  if (damage === undefined) throw new Error(`no such damage of a journal: ${how}`);
  return damage(whole, number);
}

function flipped(bytes: Uint8Array, number: number): Uint8Array {
  const changed = bytes.slice();
  const bit = (number * STRIDE) % (bytes.length * 8);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}
