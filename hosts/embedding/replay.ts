// Replays traces on the core of this package.

import { replay as replayOn } from "../trace/index.js";
import type { Difference, Position, ReplayOptions, Trace } from "../trace/index.js";
import { coreIdentity, packageCore } from "./core.js";

/** The result of a replay. */
export interface Replay {
  /** The last replayed step. */
  at: Position;
  /** How many calls of the core were compared. */
  compared: number;
  /** The first difference; null if there is none. */
  difference: Difference | null;
  /** Everything that the core knows after the last step; null if that step trapped. */
  snapshot: Uint8Array | null;
}

/**
 * Replays all steps of a trace, up to `until` or the first difference. Throws `TraceError` for a trace of another core
 * than this package's, unless `identity` allows it.
 */
export function replay(trace: Trace, options: ReplayOptions = {}): Replay {
  const { at, compared, difference, instance } = replayOn(trace, packageCore(), {
    identity: coreIdentity(),
    ...options,
  });
  return { at, compared, difference, snapshot: instance?.snapshot() ?? null };
}
