// The machine's time.

import type { Clock, types } from "../shared/index.js";

/** The longest wait that Node's timers can express. */
const LONGEST_MS = 2_147_483_647n;

export const systemClock: Clock = {
  now(): types.Instant {
    // Date has only milliseconds. The monotonic clock's nanoseconds, set to the time of day, tell events apart.
    const monotonic = process.hrtime.bigint();
    const wall = BigInt(Date.now()) * 1_000_000n;
    const guess = monotonic + offset;
    const drift = guess - wall;
    if (drift < -TOLERANCE || drift > TOLERANCE) offset = wall - monotonic;
    return { wall: monotonic + offset, monotonic };
  },

  at(at: bigint, wake: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const left = (at - process.hrtime.bigint() + 999_999n) / 1_000_000n;
      if (left <= 0n) return wake();
      timer = setTimeout(wait, Number(left < LONGEST_MS ? left : LONGEST_MS));
    };
    // Even a timer that is due already fires later, never from within the call.
    timer = setTimeout(wait, Number(clamp((at - process.hrtime.bigint()) / 1_000_000n)));
    return () => clearTimeout(timer);
  },
};

/** How far the derived time of day may drift before it is set again: clocks are corrected, and machines sleep. */
const TOLERANCE = 20_000_000n;
let offset = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();

function clamp(ms: bigint): bigint {
  return ms < 0n ? 0n : ms < LONGEST_MS ? ms : LONGEST_MS;
}
