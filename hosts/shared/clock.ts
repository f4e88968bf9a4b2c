// Real time on any JavaScript platform.

import type { Clock, types } from "./host.js";

/** The longest wait that timers can express. */
const LONGEST_MS = 2_147_483_647;

/** Real time. */
export const realClock: Clock = {
  now(): types.Instant {
    return { wall: nanoseconds(Date.now()), monotonic: monotonic() };
  },

  at(at: bigint, wake: () => void): () => void {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      const ms = Number(at - monotonic()) / 1e6;
      if (ms <= 0) wake();
      else timer = setTimeout(wait, Math.min(Math.ceil(ms), LONGEST_MS));
    };
    // Even a timer that is due already fires later, never from within the call.
    timer = setTimeout(wait, Math.min(Math.max(Number(at - monotonic()) / 1e6, 0), LONGEST_MS));
    return () => clearTimeout(timer);
  },
};

/** Calls `late` after this many milliseconds of a clock's time. Returns a function that cancels it. */
export function after(clock: Clock, ms: number, late: () => void): () => void {
  return clock.at(clock.now().monotonic + nanoseconds(ms), late);
}

/** Milliseconds since 1970 by a clock. */
export function timeOfDay(clock: Clock): number {
  return Number(clock.now().wall / 1_000_000n);
}

function monotonic(): bigint {
  return nanoseconds(performance.now());
}

function nanoseconds(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}
