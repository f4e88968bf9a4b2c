// Replays a trace on the core that it was recorded with, and compares the outputs.

import { OUTPUT_KINDS, hashesOf } from "../hashes/index.js";
import type { OutputHashes } from "../hashes/index.js";
import type { Input, engine, types } from "../shared/index.js";
import { Instance, Trap } from "../driver/index.js";
import type { CompiledCore, ObservedStep, Opening } from "../driver/index.js";
import { TraceError } from "./decode.js";
import type { Call, Position, Segment, Trace } from "./format.js";

/** A replayed step. Restoring a snapshot is not a step, since it has no outputs. */
export interface ReplayedStep extends ObservedStep {
  /** Number of its segment. */
  segment: number;
  /** The input or the arguments of `open`. */
  cause: { input: Input } | { opening: Opening };
}

/** How far a replay goes, and its callbacks. */
export interface ReplayOptions {
  /** The last step to replay, or the last moment, in nanoseconds since 1970. */
  until?: Position | bigint;
  /** Called after each step that did not trap. */
  onStep?: (step: ReplayedStep) => void;
  /** Called if the recording starts here in the middle of an instance's life, with the records at that time. */
  onResumed?: (segment: Segment, records: engine.Stored[]) => void;
  /** Called when the instance was lost. */
  onLost?: (segment: Segment, error: string) => void;
  /**
   * The identity of the core at hand. Segments of other cores are left out, and a trace that has no others is refused.
   * Without an identity, cores are not compared.
   */
  identity?: string;
  /** Replays segments of other cores, too, but not their snapshots: only the same core can restore its memory. */
  anyCore?: boolean;
}

/** How a replayed step differs from the trace. */
export interface Difference extends Position {
  /** Number of its segment. */
  segment: number;
  /** The input; null for `open`. */
  input: Input | null;
  /** Sentences without a full stop: `replies differ`. */
  what: string[];
}

/** The result of a replay. */
export interface Replayed {
  /** The instance after the last step, or null if that step trapped. */
  instance: Instance | null;
  /** The last replayed step. */
  at: Position;
  /** How many calls of the core were compared. */
  compared: number;
  /** The first difference, or null if there was none. */
  difference: Difference | null;
  /** How many segments of other cores were left out. Usually they are from before an update. */
  leftOut: number;
}

/** Replays one segment after the other, up to `until` or the first difference. */
export function replay(
  trace: { segments: Iterable<Segment> },
  core: CompiledCore,
  options: ReplayOptions = {},
): Replayed {
  return toItsEnd(replaying(trace, core, options));
}

/** The same as a generator, which yields between steps so that the caller can do other work. */
export function* replaying(
  trace: { segments: Iterable<Segment> },
  core: CompiledCore,
  options: ReplayOptions = {},
): Generator<void, Replayed> {
  const run = new Run(core, options);
  for (const segment of trace.segments) {
    if (run.leavesOut(segment)) continue;
    yield* run.segment(segment);
    if (run.over) break;
  }
  return run.result();
}

/** Runs a generator to its end. */
export function toItsEnd<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The last segment that begins at or before a step. To replay it alone is the shortest way to that step. */
export function segmentBefore(trace: Trace, { epoch, step }: Position): Segment | null {
  return trace.segments.findLast((segment) => segment.epoch === epoch && segment.step <= step) ?? null;
}

/** A new instance in the state of a snapshot. */
export function fork(core: CompiledCore, snapshot: Uint8Array): Instance {
  const instance = new Instance(core);
  instance.restore(snapshot);
  return instance;
}

class Run {
  over = false;
  readonly #core: CompiledCore;
  readonly #options: ReplayOptions;
  #instance: Instance | null = null;
  #at: Position = { epoch: 0, step: 0 };
  #compared = 0;
  #difference: Difference | null = null;
  /** The previous segment if this one continues it. */
  #before: Segment | null = null;
  /** The first segment of another core. */
  #foreign: Segment | null = null;
  #leftOut = 0;
  #isBegun = false;

  constructor(core: CompiledCore, options: ReplayOptions) {
    this.#core = core;
    this.#options = options;
  }

  result(): Replayed {
    if (this.#foreign !== null && !this.#isBegun) {
      const { number, core } = this.#foreign;
      const { identity } = this.#options;
      throw new TraceError(`segment ${number} was recorded with another core: ${core} instead of ${identity}`);
    }
    const [instance, at, compared] = [this.#instance, this.#at, this.#compared];
    return { instance, at, compared, difference: this.#difference, leftOut: this.#leftOut };
  }

  leavesOut(segment: Segment): boolean {
    const { anyCore, identity } = this.#options;
    if (anyCore === true || identity === undefined || segment.core === identity) return false;
    this.#foreign ??= segment;
    this.#leftOut++;
    this.#before = null;
    return true;
  }

  *segment(segment: Segment): Generator<void, void> {
    const { start, epoch, step } = segment;
    if (this.#isPast({ epoch, step })) return;
    this.#isBegun = true;
    if (start.tag === "snapshot") {
      if (!this.#resume(segment, start.snapshot)) return;
    } else {
      this.#instance = new Instance(this.#core);
      this.#make(segment, { epoch, step }, start.now, start.out, false, { opening: start.opening });
    }
    yield;
    for (const [i, call] of segment.calls.entries()) {
      if (this.over) return;
      this.#call(segment, { epoch, step: step + i + 1 }, call);
      yield;
    }
    this.#before = segment.end.why === "continued" ? segment : null;
    if (segment.end.why === "lost" && !this.over) this.#options.onLost?.(segment, segment.end.error);
  }

  /** Restores a snapshot. False if it is another core's and there is no instance that could continue instead. */
  #resume(segment: Segment, snapshot: Uint8Array): boolean {
    const { epoch, step, core } = segment;
    const goesOn = this.#before !== null && this.#instance !== null;
    const isForeign = this.#options.anyCore === true && core !== this.#options.identity;
    if (isForeign && !goesOn) return false;
    if (!isForeign) this.#instance = fork(this.#core, snapshot);
    this.#at = { epoch, step };
    if (!goesOn) this.#options.onResumed?.(segment, this.#instance!.records());
    this.over = this.#isLast();
    return true;
  }

  #call(segment: Segment, at: Position, { now, input, out, masked }: Call): void {
    this.#make(segment, at, now, out, masked, { input });
  }

  #make(
    segment: Segment,
    at: Position,
    now: types.Instant,
    recorded: OutputHashes | null,
    masked: boolean,
    cause: ReplayedStep["cause"],
  ): void {
    const { until } = this.#options;
    if (typeof until === "bigint" && now.wall > until) {
      this.over = true;
      return;
    }
    const instance = this.#instance!;
    this.#at = at;
    this.#compared++;
    const outputs = attempt(instance, now, cause);
    const what = compare(recorded, outputs instanceof Trap ? outputs : hashesOf(outputs, masked));
    if (what.length > 0) {
      this.#difference = { ...at, segment: segment.number, input: "input" in cause ? cause.input : null, what };
    }
    if (outputs instanceof Trap) {
      this.#instance = null;
    } else {
      const notes = { explain: () => instance.explain(), snapshot: () => instance.snapshot() };
      this.#options.onStep?.({ ...at, now, outputs, segment: segment.number, cause, ...notes });
      if (instance.mustCollect) instance.collect();
    }
    this.over = this.#difference !== null || this.#isLast();
  }

  #isLast(): boolean {
    const { until } = this.#options;
    return typeof until === "object" && this.#at.epoch === until.epoch && this.#at.step >= until.step;
  }

  #isPast({ epoch, step }: Position): boolean {
    const { until } = this.#options;
    if (typeof until !== "object") return false;
    if (epoch > until.epoch || (epoch === until.epoch && step > until.step)) this.over = true;
    return this.over;
  }
}

type Cause = ReplayedStep["cause"];

function attempt(instance: Instance, now: types.Instant, cause: Cause): ObservedStep["outputs"] | Trap {
  try {
    if ("input" in cause) return instance.step(now, cause.input);
    const { options, seed, records, journal, inventory } = cause.opening;
    return instance.open(options, now, seed, records, journal, inventory);
  } catch (error) {
    if (error instanceof Trap) return error;
    throw error;
  }
}

/** The differences, in words. */
function compare(recorded: OutputHashes | null, made: OutputHashes | Trap): string[] {
  if (made instanceof Trap) return recorded === null ? [] : [made.message];
  if (recorded === null) return ["the core trapped in the recording, but not in this run"];
  return OUTPUT_KINDS.filter((kind) => recorded[kind] !== made[kind]).map((kind) => {
    if (recorded[kind] === undefined) return `this run has ${kind}, the recording has none`;
    return made[kind] === undefined ? `the recording has ${kind}, this run has none` : `${kind} differ`;
  });
}
