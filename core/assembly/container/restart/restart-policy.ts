// Restart policies (surface §2.17): whether another run follows one that has ended.

import { acting } from "../../origin";
import { Container } from "../container";
import { SIGKILL } from "../stop/signals";
import { delayAfter } from "./backoff-delay";
import { PolicyKind } from "./policy-setting";

/**
 * Decides at the end of a run that lasted `lasted` nanoseconds.
 * If another run follows, sets the container's count and delay.
 */
export function isFollowed(container: Container, code: i32, lasted: i64): bool {
  if (container.policy.kind == PolicyKind.No || container.disarmed) return false;
  if (container.startsAgain || container.removals.length > 0) return false;
  if (!wantsAnother(container, code, container.manuallyStopped)) return false;
  container.restartDelay = delayAfter(lasted, container.restartDelay);
  container.restartCount += 1;
  return true;
}

/**
 * Whether a container that is not running is started with the engine
 * (surface §2.15): with `always` even if a client stopped it.
 */
export function startsWithEngine(container: Container): bool {
  return container.everRan && wantsAnother(container, container.exitCode, container.manuallyStopped);
}

function wantsAnother(container: Container, code: i32, manuallyStopped: bool): bool {
  const policy = container.policy;
  switch (policy.kind) {
    case PolicyKind.Always:
      return true;
    case PolicyKind.UnlessStopped:
      return !manuallyStopped;
    case PolicyKind.OnFailure:
      return code != 0 && (policy.maximum == 0 || <i64>container.restartCount < policy.maximum);
    default:
      return false;
  }
}

/** A client starts the container: its policy begins afresh. */
export function rearm(container: Container): void {
  container.ender = null;
  container.restartCount = 0;
  container.restartDelay = 0;
  container.manuallyStopped = false;
  container.disarmed = false;
}

/** A client ends the run: no other run follows. */
export function disarm(container: Container): void {
  markStopped(container);
  container.ender = acting.origin;
  container.disarmed = true;
}

/**
 * Any signal from a client counts as a stop by hand (surface §2.16). With a policy,
 * the record is written before the answer, so that a crash between signal and
 * answer does not let the policy start another run. Without one, there is no hurry.
 */
export function markStopped(container: Container): void {
  container.manuallyStopped = true;
  if (container.policy.kind != PolicyKind.No) container.touch();
  else container.touchLater();
}

/** Whether a client's signal ends the policy for this run and thaws a paused one (surface §2.16). */
export function disarms(container: Container, signal: u32): bool {
  return signal == SIGKILL || container.stopSignal == 0 || container.stopSignal == signal;
}
