// Replays of traces, on the core that the package carries.

import { replay as replayOn } from "../trace/replay.js";
import type { Difference, ReplayOptions } from "../trace/replay.js";
import type { Position, Trace } from "../trace/format.js";
import { coreIdentity, packageCore } from "./core.js";

/** What came of a replay. */
export interface Replay {
  /** The last step made. */
  at: Position;
  /** How many calls of the core were compared. */
  compared: number;
  /** The first difference; null if there was none. */
  difference: Difference | null;
  /** All that the core knows after the last step; null when that trapped. */
  snapshot: Uint8Array | null;
}

/**
 * Makes all steps of a trace again, up to `until` or the first difference. Throws `TraceError` for a trace of another
 * core than this package's, unless `identity` says which it may be of.
 */
export function replay(trace: Trace, options: ReplayOptions = {}): Replay {
  const { at, compared, difference, instance } = replayOn(trace, packageCore(), {
    identity: coreIdentity(),
    ...options,
  });
  return { at, compared, difference, snapshot: instance?.snapshot() ?? null };
}
