// Time of the simulated world: a queue of events that run one after the other, at a chosen pace.

import type { Clock } from "../shared/index.js";

/**
 * How fast the world's time passes. `{ times: 1 }` is real time; `{ times: 60 }` is a minute per second. `fast` jumps
 * to the next event as soon as everything that the last event caused is done. `stopped` moves only by `step` or
 * `advance`.
 */
export type Pace = { times: number } | "fast" | "stopped";

/** The world's time and its controls. All times are monotonic nanoseconds since the world began. */
export interface SimulatedTime extends Clock {
  pace: Pace;
  /** When the next event is due; null if there is none. */
  readonly next: bigint | null;
  /**
   * Runs the next event, whatever the pace. Resolves when everything that it caused is done. False if there is none.
   */
  step(): Promise<boolean>;
  /** Runs all events of the next `ns` nanoseconds. Resolves when they are done and the time has come. */
  advance(ns: bigint): Promise<void>;
  /** Runs until no event is left, or until `limit` nanoseconds have passed. */
  settle(limit?: bigint): Promise<void>;
  /**
   * Runs an action from outside as an event at its own moment: now, or `at` if that is later. Resolves to that moment.
   * Passing the same moment again replays the action at the same place among all events.
   */
  enter(act: () => void, at?: bigint): Promise<bigint>;
  /**
   * Registers the function that is called whenever `next` may have changed, or the time by more than its pace. Only one
   * at a time.
   */
  onChange(changed: () => void): void;
}
