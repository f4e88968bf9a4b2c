// Whether, and after how long, a layer that could not be had is asked for once more (surface §6.3).

import { Failure } from "../../../../build/bindings/types";
import { answeredStatus, retryAfter } from "../../failure/answer";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";

/** Times that one source is asked again for a layer, as Docker's `max-download-attempts`. */
const TIMES_AGAIN: u32 = 5;
/** Seconds, times the attempts made: each pause is longer than the one before. */
const PAUSE: u32 = 5;
/** Seconds for which a registry's wish is waited out; one that asks for more is taken at its word at once. */
const LONGEST_WISH: u32 = 300;
const SERVER_ERROR: u16 = 500;

/** Seconds before the next attempt; 0: there is none. `resumed`: the last one may have gone on with an earlier one's bytes. */
export function pauseAfter(attempts: u32, failure: Failure, resumed: bool): u32 {
  if (attempts > TIMES_AGAIN || retryAfter(failure) > LONGEST_WISH) return 0;
  return mayPass(failure, resumed) ? max(PAUSE * attempts, retryAfter(failure)) : 0;
}

function mayPass(failure: Failure, resumed: bool): bool {
  switch (kindOf(failure)) {
    case FailureKind.Unreachable:
      return true;
    case FailureKind.Registry:
      return answeredStatus(failure) >= SERVER_ERROR;
    case FailureKind.Limited:
      // Docker takes it for final. A registry that says when to come back is taken at its word.
      return retryAfter(failure) > 0;
    case FailureKind.Corrupt:
      // The wrong bytes may be the earlier ones; whole from one answer, they would be wrong again.
      return resumed;
    default:
      return false;
  }
}
