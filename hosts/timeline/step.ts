// One call of the core on the timeline.

import type { Input, StepOutputs, engine } from "../shared/index.js";
import type { Opening } from "../driver/index.js";
import type { Change, World } from "./world.js";

export type Note = engine.Note;
export type Rule = engine.Rule;

export interface Step {
  /** Index on the timeline, from 0, across all instances of the engine. */
  readonly number: number;
  /**
   * `opened`: an instance of the engine was opened. `lost`: it is gone, and the step requested nothing. `resumed`: the
   * recording begins here, in the middle of the instance's life.
   */
  readonly kind: "opened" | "resumed" | "stepped" | "lost";
  /** Number of the instance, from 1, and of the step within its life; 0 is its `open`. */
  readonly epoch: number;
  readonly inEpoch: number;
  /** The world's monotonic time in nanoseconds. */
  readonly at: bigint;
  /** Nanoseconds since 1970. */
  readonly wall: bigint;
  /** Null for a step that opens or loses an instance. */
  readonly input: Input | null;
  /** In words: `POST /v1.41/containers/create`, `launch of web succeeded`, `a timer ran out`. */
  readonly cause: string;
  /** The arguments of an instance's `open`. */
  readonly opening: Opening | null;
  /** In words, one for each: `launch web`, `unpack layer 5f70bf18a086`. */
  readonly effects: readonly string[];
  readonly records: readonly { key: string; deleted: boolean }[];
  /** In words, one for each: `201 to POST /v1.41/containers/create`. */
  readonly replies: readonly string[];
  readonly notes: readonly Note[];
  readonly outputs: StepOutputs;
  /** A hash of the outputs: equal steps of equal sessions have equal hashes. Empty if an instance was lost. */
  readonly hash: string;
  /** The exchange that caused it, perhaps through several commands; null if none. */
  readonly exchange: number | null;
  /** Exchanges that it sends something to. */
  readonly answers: readonly number[];
  /** The session itself caused it: first images, the stream of events, or a report of bytes read. */
  readonly quiet: boolean;
  /** The world after it, and its changes to the previous world. */
  readonly world: World;
  readonly changes: readonly Change[];
}
