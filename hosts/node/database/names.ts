// What stands in the database besides the core's records, whose keys have a slash.

/** The journal's part of it. */
export const JOURNAL = "journal";

/** As lmdb-js writes it into the file, with a NUL at its end; or as it tells it. */
export function isJournal(key: string): boolean {
  return key === JOURNAL || key === `${JOURNAL}\0`;
}

/** Keeps room: see `records.ts`. */
export const RESERVE_KEY = "reserve";

/** Says that records were lost whose keys nobody knows, until the core has taken that in. */
export const LOST = "lost";
