// After how long a restart policy lets another run follow (surface §2.17). All in nanoseconds.

const FIRST: i64 = 100_000_000;
const LONGEST: i64 = 60_000_000_000;
/** A run of this length was a good one: the next delay is the first again. */
const GOOD_RUN: i64 = 10_000_000_000;

/** Behind a run that lasted so long. `last`: the delay before that run; 0 if there was none. */
export function delayAfter(lasted: i64, last: i64): i64 {
  return lasted >= GOOD_RUN || last == 0 ? FIRST : min(last * 2, LONGEST);
}
