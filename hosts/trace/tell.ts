// Replays a trace as the steps of a timeline, and compares each step with the recording.

import type { CompiledCore } from "../driver/index.js";
import type { Segment } from "./format.js";
import { replaying, toItsEnd } from "./replay.js";
import type { Replayed, ReplayOptions } from "./replay.js";
import type { types } from "../shared/index.js";
import { Timeline } from "../timeline/index.js";
import type { Step, TimelineOptions } from "../timeline/index.js";

export interface TellOptions extends Pick<ReplayOptions, "until" | "identity" | "anyCore"> {
  added: (step: Step) => void;
  /** As in a timeline; by default no request belongs to an exchange. */
  claim?: TimelineOptions["claim"];
}

/** Throws `TraceError` as `replay` does. */
export function tell(segments: Iterable<Segment>, core: CompiledCore, options: TellOptions): Replayed {
  return toItsEnd(telling(segments, core, options));
}

/** The same, one step at a time, as `replaying` does. */
export function* telling(
  segments: Iterable<Segment>,
  core: CompiledCore,
  { added, claim = () => null, ...options }: TellOptions,
): Generator<void, Replayed> {
  let now: types.Instant = { wall: 0n, monotonic: 0n };
  const timeline = new Timeline({
    claim,
    now: () => now,
    preparing: () => false,
    // Compared already.
    hashOf: () => "",
    added,
    readsJournal: true,
    forgets: true,
  });
  return yield* replaying({ segments }, core, {
    ...options,
    onResumed: (segment, records) => {
      now = segment.calls[0]?.now ?? now;
      timeline.resumed({ ...segment, now }, records);
    },
    onStep: (step) => {
      ({ now } = step);
      if ("opening" in step.cause) timeline.opened(step, step.cause.opening);
      else timeline.stepped(step, step.cause.input);
    },
    onLost: ({ epoch }, error) => timeline.lost(epoch, error),
  });
}
