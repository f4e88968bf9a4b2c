// Who watches a driver: told of every step of the core, before anything of it leaves. Watching changes nothing.

import type { Input, engine, types } from "../shared/host.js";
import type { StepOutputs } from "../shared/outputs.js";

/** One call of the core, with what it asked for. */
export interface ObservedStep {
  /** Number of the instance, from 1. */
  epoch: number;
  /** Number of the step in the life of its instance; `open` is 0. */
  step: number;
  /** The time that the core was told. */
  now: types.Instant;
  /** What it asked for. */
  outputs: StepOutputs;
  /** The core's reasons. To be called at once or not at all: the next step forgets them. */
  explain(): engine.Note[];
  /** All that the instance knows now. To be called at once or not at all. */
  snapshot(): Uint8Array;
}

/** An instance between two steps, when nothing has happened for a moment. */
export type ObservedRest = Pick<ObservedStep, "epoch" | "step" | "snapshot">;

/** What an instance was opened with. */
export interface Opening {
  options: engine.Options;
  /** 32 bytes. */
  seed: Uint8Array;
  /** All that was durable, in the order of their keys. */
  records: engine.Stored[];
  /** Where the journal ended. */
  journal: engine.JournalEnd;
  /** What the host found. */
  inventory: engine.Inventory;
}

/** A call of the core that came to no end. */
export type Attempt = { now: types.Instant; opening: Opening } | { now: types.Instant; input: Input };

/** Several of them, told one after the other. */
export function together(observers: readonly Observer[]): Observer {
  return {
    opened: (...told) => observers.forEach((observer) => observer.opened(...told)),
    stepped: (...told) => observers.forEach((observer) => observer.stepped(...told)),
    rested: (...told) => observers.forEach((observer) => observer.rested?.(...told)),
    lost: (...told) => observers.forEach((observer) => observer.lost(...told)),
  };
}

/** Must not throw. May cut the driver off: then nothing of the step leaves. */
export interface Observer {
  /** An instance has made its first call, `open`. */
  opened(step: ObservedStep, opening: Opening): void;
  /** It has made another, for this input. */
  stepped(step: ObservedStep, input: Input): void;
  /** Nothing has happened since its last step: what takes a while, as a snapshot does, keeps nobody waiting now. */
  rested?(rest: ObservedRest): void;
  /**
   * The instance is gone: it trapped, its records were not kept, or it was cut off. Told once. `during`: what it was
   * doing when it trapped; it may be its `open`, which nobody was told of.
   */
  lost(epoch: number, error: unknown, during?: Attempt): void;
}
