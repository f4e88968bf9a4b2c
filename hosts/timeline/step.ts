// One call of the core on the timeline.

import type { Input, engine } from "../shared/host.js";
import type { Opening } from "../driver/index.js";
import type { StepOutputs } from "../shared/outputs.js";
import type { Change, World } from "./world.js";

export type Note = engine.Note;
export type Rule = engine.Rule;

export interface Step {
  /** Place on the timeline, from 0, over all instances of the engine. */
  readonly number: number;
  /**
   * `opened`: an instance of the engine was opened. `lost`: it is gone; nothing of it was asked for. `resumed`: what is
   * known begins here, in the midst of its life.
   */
  readonly kind: "opened" | "resumed" | "stepped" | "lost";
  /** Number of the instance, from 1, and of the step in its life; 0 is its `open`. */
  readonly epoch: number;
  readonly inEpoch: number;
  /** Monotonic nanoseconds of the world. */
  readonly at: bigint;
  /** Nanoseconds since 1970. */
  readonly wall: bigint;
  /** Null for those that open or lose an instance. */
  readonly input: Input | null;
  /** In words: `POST /v1.41/containers/create`, `launch of web succeeded`, `a timer ran out`. */
  readonly cause: string;
  /** What an instance was opened with. */
  readonly opening: Opening | null;
  /** In words, one each: `launch web`, `unpack layer 5f70bf18a086`. */
  readonly effects: readonly string[];
  readonly records: readonly { key: string; deleted: boolean }[];
  /** In words, one each: `201 to POST /v1.41/containers/create`. */
  readonly replies: readonly string[];
  readonly notes: readonly Note[];
  readonly outputs: StepOutputs;
  /** Of the outputs: equal steps of equal sessions have equal hashes. Empty where an instance was lost. */
  readonly hash: string;
  /** Exchange that led to it, over any number of commands between; null for none. */
  readonly exchange: number | null;
  /** Exchanges that it sends something to. */
  readonly answers: readonly number[];
  /** It is of the session's own making: first images, the stream of events, or a count of bytes read. */
  readonly quiet: boolean;
  /** The world after it, and what it changed of the one before. */
  readonly world: World;
  readonly changes: readonly Change[];
}
