// What may become of a journal on a disk that loses or mixes up what it was given.

import type { records } from "../../../hosts/shared/host.js";

type Entries = readonly records.JournalEntry[];

/** How many entries a lost segment has at most. */
const SEGMENT = 16;
/** Far apart, so that numbers one after the other come to other places. */
const STRIDE = 7919;

/** Of at least one entry. `number` says where. */
const DAMAGES: Readonly<Record<string, (whole: Entries, number: number) => Entries>> = {
  /** The last entry is cut off. */
  torn: (whole, number) => {
    const last = whole.at(-1)!;
    return [...whole.slice(0, -1), { ...last, bytes: last.bytes.slice(0, number % last.bytes.length) }];
  },
  /** A bit of one is another one. */
  flipped: (whole, number) => {
    const at = number % whole.length;
    return whole.map((entry, place) => (place === at ? { ...entry, bytes: flipped(entry.bytes, number) } : entry));
  },
  /** A segment is gone. The last entry never is: the journal would not be known to have gone so far. */
  lost: (whole, number) => {
    const from = number % whole.length;
    const to = Math.min(from + 1 + (number % SEGMENT), whole.length - 1);
    return [...whole.slice(0, from), ...whole.slice(Math.max(from, to))];
  },
};

/** Throws for a damage that there is not. */
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
