// How long a run has lasted. The monotonic clock tells it: the time of day may be set, and goes on while the machine
// sleeps. That clock goes on from one engine to the next for as long as the machine is up, and no process outlives the
// machine: of a run that is found going on, its record tells when it began by the clock of now.

import { engine } from "../../state";
import { NO_TIME } from "../../text/time";
import { Container } from "../container";

/** This step was told that its process was started. */
export function beginRun(container: Container): void {
  container.begunAt = <i64>engine.now.monotonic;
}

/**
 * An engine finds it going on. Where nothing was kept, or by a clock that is ahead of this one, its stamp tells once how
 * long ago it began; from now on the monotonic clock does.
 */
export function adoptRun(container: Container): void {
  const now = <i64>engine.now.monotonic;
  if (container.begunAt != NO_TIME && container.begunAt <= now) return;
  container.begunAt = now - stampedLength(container, engine.now.wall);
  container.touch();
}

/** Of one that goes on, or of whose end this step was told. Never less than nothing. */
export function lengthOfRun(container: Container): i64 {
  return <i64>engine.now.monotonic - container.begunAt;
}

/**
 * Of one that ended while no engine ran, on this machine since it was started: only stamps tell when. It did not last
 * longer than since it began by the monotonic clock.
 */
export function lengthOfUnseen(container: Container, endedAt: i64): i64 {
  const length = stampedLength(container, endedAt);
  const most = <i64>engine.now.monotonic - container.begunAt;
  return container.begunAt == NO_TIME || most < 0 ? length : min(length, most);
}

/**
 * By stamps alone, as of one that may have ended with the machine, whose clock has begun anew since. Never less than
 * nothing: the time of day may have been set back.
 */
export function stampedLength(container: Container, until: i64): i64 {
  return max<i64>(until - container.startedAt, 0);
}
