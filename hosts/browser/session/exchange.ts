// One sending of a cell, and its answer while it arrives.

import type { ReadonlySignal } from "@preact/signals-core";
import type { WrittenRequest } from "./request.js";
import type { View } from "./view/view.js";

/** A piece of an answer's body, as received. */
export interface Piece {
  /** Monotonic nanoseconds of the world. */
  readonly at: bigint;
  readonly bytes: Uint8Array;
}

/**
 * `sending`: nothing has arrived yet. `streaming`: the head has arrived, the body continues. `done`: the body is
 * complete. `broken`: cut off, by the engine or by `cancel`; `problem` says how.
 */
export type ExchangeState = "sending" | "streaming" | "done" | "broken";

export interface AnswerHead {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly at: bigint;
}

export interface Exchange {
  /** Counted from 1, in the order of sending. */
  readonly number: number;
  readonly cell: string;
  /** The request as it was sent; the cell may have been edited since. */
  readonly request: WrittenRequest;
  /** When it was sent. */
  readonly at: bigint;
  readonly state: ReadonlySignal<ExchangeState>;
  /** Why it broke; empty if it did not. */
  readonly problem: ReadonlySignal<string>;
  readonly head: ReadonlySignal<AnswerHead | null>;
  readonly pieces: ReadonlySignal<readonly Piece[]>;
  /** The body, interpreted by its type. */
  readonly view: ReadonlySignal<View>;
  /** Whether it accepts typed input now. */
  readonly typable: ReadonlySignal<boolean>;
  /**
   * Numbers of the steps that it caused, the request's own first (`Step.number`); empty if it never reached the core.
   */
  readonly steps: ReadonlySignal<readonly number[]>;
}
