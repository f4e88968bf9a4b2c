// How long a restart policy waits before the next run (surface §2.17). All times in nanoseconds.

const FIRST: i64 = 100_000_000;
const LONGEST: i64 = 60_000_000_000;
/** A run of at least this length counts as successful: the next delay is the shortest again. */
const GOOD_RUN: i64 = 10_000_000_000;

/** The delay after a run that lasted `lasted`. `last`: the delay before that run; 0 if there was none. */
export function delayAfter(lasted: i64, last: i64): i64 {
  return lasted >= GOOD_RUN || last == 0 ? FIRST : min(last * 2, LONGEST);
}
