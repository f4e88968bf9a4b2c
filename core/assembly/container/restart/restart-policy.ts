// Restart policies (surface §2.17): whether a run that has ended is followed by another.

import { acting } from "../../origin";
import { Container } from "../container";
import { SIGKILL } from "../stop/signals";
import { delayAfter } from "./backoff-delay";
import { PolicyKind } from "./policy-setting";

/** Decides at the end of a run, which lasted so many nanoseconds; count and delay of a restart are the container's then. */
export function isFollowed(container: Container, code: i32, lasted: i64): bool {
  if (container.policy.kind == PolicyKind.No || container.disarmed) return false;
  if (container.startsAgain || container.removals.length > 0) return false;
  if (!wantsAnother(container, code, container.manuallyStopped)) return false;
  container.restartDelay = delayAfter(lasted, container.restartDelay);
  container.restartCount += 1;
  return true;
}

/** Whether a container that does not run is started with the engine (surface §2.15): `always` is, though stopped by hand. */
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

/** Somebody starts it: its policy begins anew. */
export function rearm(container: Container): void {
  container.ender = null;
  container.restartCount = 0;
  container.restartDelay = 0;
  container.manuallyStopped = false;
  container.disarmed = false;
}

/** Somebody ends its run: nothing follows it. */
export function disarm(container: Container): void {
  markStopped(container);
  container.ender = acting.origin;
  container.disarmed = true;
}

/**
 * Any signal by hand counts as a stop by hand (surface §2.16). A policy must not let another run follow because a crash
 * came between signal and answer; where there is none, nothing needs to be known before the answer.
 */
export function markStopped(container: Container): void {
  container.manuallyStopped = true;
  if (container.policy.kind != PolicyKind.No) container.touch();
  else container.touchLater();
}

/** Whether a signal of a client's ends the policy for this run, and thaws what is paused (surface §2.16). */
export function disarms(container: Container, signal: u32): bool {
  return signal == SIGKILL || container.stopSignal == 0 || container.stopSignal == signal;
}
