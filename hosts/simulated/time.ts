// Time of the simulated world: a queue of events that run one after the other, at the pace that is asked for.

import type { Clock } from "../shared/host.js";

/**
 * How fast the world's time passes: `{ times: 1 }` is real time, `{ times: 60 }` a minute a second; `fast` jumps to the
 * next event as soon as all has been done that the one before set off; `stopped` waits to be moved by `step` or
 * `advance`.
 */
export type Pace = { times: number } | "fast" | "stopped";

/** The world's time, and its hands. All times are monotonic nanoseconds since the world began. */
export interface SimulatedTime extends Clock {
  pace: Pace;
  /** When the next event is due; null when nothing is to come. */
  readonly next: bigint | null;
  /** Runs the next event, whatever the pace; resolves when all has been done that it set off. False if there is none. */
  step(): Promise<boolean>;
  /** Runs all that is due in the next so many nanoseconds; resolves when that is done and the time has come. */
  advance(ns: bigint): Promise<void>;
  /** Runs until nothing is to come, or `limit` nanoseconds have passed. */
  settle(limit?: bigint): Promise<void>;
  /**
   * Does something from outside as an event of its own, at a moment of its own: now, or at `at` if that is later. What
   * was done at a moment is done again at the same place among all others when it is given that moment again.
   * Resolves to the moment.
   */
  enter(act: () => void, at?: bigint): Promise<bigint>;
}
