// How long a run has lasted, measured by the monotonic clock, since the time of day may be set and runs on while the
// machine sleeps. The monotonic clock does not restart with the engine, only with the machine, and no process outlives
// the machine. So the start time in the record of a run that is found still going is valid on the current clock.

import { engine } from "../../state";
import { NO_TIME } from "../../text/time";
import { Container } from "../container";

/** Call this in the step that learns of the start of the process. */
export function beginRun(container: Container): void {
  container.begunAt = <i64>engine.now.monotonic;
}

/**
 * The engine finds the run still going at its own start. If the record has no
 * monotonic start time, or one that is ahead of the clock, the time is computed once
 * from the start's wall-clock stamp, and the monotonic clock counts from then on.
 */
export function adoptRun(container: Container): void {
  const now = <i64>engine.now.monotonic;
  if (container.begunAt != NO_TIME && container.begunAt <= now) return;
  container.begunAt = now - stampedLength(container, engine.now.wall);
  container.touch();
}

/** Length of a run that is still going, or whose end this step was told. Never negative. */
export function lengthOfRun(container: Container): i64 {
  return <i64>engine.now.monotonic - container.begunAt;
}

/**
 * Length of a run that ended while no engine ran, though since the machine's last boot. Only wall-clock stamps tell
 * when it ended, but it cannot have lasted longer than the monotonic time since its start.
 */
export function lengthOfUnseen(container: Container, endedAt: i64): i64 {
  const length = stampedLength(container, endedAt);
  const most = <i64>engine.now.monotonic - container.begunAt;
  return container.begunAt == NO_TIME || most < 0 ? length : min(length, most);
}

/**
 * Length by wall-clock stamps alone, for a run that may have ended with the machine, whose monotonic clock has started
 * again since. Never negative: the time of day may have been set back.
 */
export function stampedLength(container: Container, until: i64): i64 {
  return max<i64>(until - container.startedAt, 0);
}
