// One sending of a cell, and its answer as it grows.

import type { ReadonlySignal } from "@preact/signals-core";
import type { WrittenRequest } from "./request.js";
import type { View } from "./view/view.js";

/** A piece of an answer's body as it came. */
export interface Piece {
  /** Monotonic nanoseconds of the world. */
  readonly at: bigint;
  readonly bytes: Uint8Array;
}

/**
 * `sending`: nothing has come yet. `streaming`: the head is there, the body goes on. `done`: the body is whole.
 * `broken`: cut off, by the engine or by `cancel`; `problem` says how.
 */
export type ExchangeState = "sending" | "streaming" | "done" | "broken";

export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly at: bigint;
}

export interface Exchange {
  /** From 1, in the order of sending. */
  readonly number: number;
  readonly cell: string;
  /** As it was sent; the cell may have been edited since. */
  readonly request: WrittenRequest;
  /** When it was sent. */
  readonly at: bigint;
  readonly state: ReadonlySignal<ExchangeState>;
  /** Why it broke; empty if it did not. */
  readonly problem: ReadonlySignal<string>;
  readonly head: ReadonlySignal<AnswerHead | null>;
  readonly pieces: ReadonlySignal<readonly Piece[]>;
  /** The body, read as what it is. */
  readonly view: ReadonlySignal<View>;
  /** Whether something can be typed into it now. */
  readonly typable: ReadonlySignal<boolean>;
  /** Numbers of the steps it led to, the request's own first (`Step.number`); empty if it never reached the core. */
  readonly steps: ReadonlySignal<readonly number[]>;
}
