// Observers of a driver. They are told of every step of the core before any of its outputs leave. Observing changes
// nothing.

import type { Input, StepOutputs, engine, types } from "../shared/index.js";

/** One call of the core, with its outputs. */
export interface ObservedStep {
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the step within its instance; `open` is 0. */
  step: number;
  /** The time that the core was given. */
  now: types.Instant;
  /** What the core requested. */
  outputs: StepOutputs;
  /** The core's reasons. Call it at once or not at all: the next step discards them. */
  explain(): engine.Note[];
  /** Everything that the instance knows now. Call it at once or not at all. */
  snapshot(): Uint8Array;
}

/** An instance between two steps, when nothing has happened for a moment. */
export type ObservedRest = Pick<ObservedStep, "epoch" | "step" | "snapshot">;

/** The arguments of an instance's `open`. */
export interface Opening {
  options: engine.Options;
  /** 32 bytes. */
  seed: Uint8Array;
  /** All durable records, in the order of their keys. */
  records: engine.Stored[];
  /** Where the journal ended. */
  journal: engine.JournalEnd;
  /** What the host found. */
  inventory: engine.Inventory;
}

/** A call of the core that did not finish. */
export type Attempt = { now: types.Instant; opening: Opening } | { now: types.Instant; input: Input };

/** Combines several observers, called one after the other. */
export function together(observers: readonly Observer[]): Observer {
  return {
    opened: (...told) => observers.forEach((observer) => observer.opened(...told)),
    stepped: (...told) => observers.forEach((observer) => observer.stepped(...told)),
    rested: (...told) => observers.forEach((observer) => observer.rested?.(...told)),
    lost: (...told) => observers.forEach((observer) => observer.lost(...told)),
  };
}

/** Its methods must not throw. They may cut the driver off: then none of the step's outputs leave. */
export interface Observer {
  /** An instance has made its first call, `open`. */
  opened(step: ObservedStep, opening: Opening): void;
  /** An instance has made another call, for this input. */
  stepped(step: ObservedStep, input: Input): void;
  /** Nothing has happened since the last step. Slow work, such as a snapshot, delays nobody now. */
  rested?(rest: ObservedRest): void;
  /**
   * The instance is gone: it trapped, its records were not kept, or it was cut off. Called once. `during`: the call in
   * which it trapped. That may be its `open`, which was not reported.
   */
  lost(epoch: number, error: unknown, during?: Attempt): void;
}
