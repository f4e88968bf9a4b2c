// Names in the database other than the core's records, whose keys contain a slash.

/** The journal's part of the database. */
export const JOURNAL = "journal";

/** In the file lmdb-js writes this key with a NUL at its end; in its API without. */
export function isJournal(key: string): boolean {
  return key === JOURNAL || key === `${JOURNAL}\0`;
}

/** Reserves room: see `records.ts`. */
export const RESERVE_KEY = "reserve";

/** Means that records with unknown keys were lost, until the core has noticed. */
export const LOST = "lost";
