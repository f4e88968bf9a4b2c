// Whether, and after what delay, a layer or a document that failed is requested or sent again (surface §6.3).

import { Failure } from "../../../../build/bindings/types";
import { answeredCode, answeredStatus, retryAfter } from "../../failure/answer";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";

/** Number of retries per layer and source, as in Docker's `max-download-attempts`. */
const TIMES_AGAIN: u32 = 5;
/** Seconds, multiplied by the number of attempts so far: each pause is longer than the one before. */
const PAUSE: u32 = 5;
/** Longest delay in seconds that a registry may ask for; if it asks for more, the fetch fails at once. */
const LONGEST_WISH: u32 = 300;
/** The same for a document. Docker has none of it: clients wait for it before they see anything. */
const DOCUMENT_AGAIN: u32 = 2;
const DOCUMENT_PAUSE: u32 = 1;
const LONGEST_DOCUMENT_WISH: u32 = 30;
const SERVER_ERROR: u16 = 500;
/** Codes of answers to an upload that another attempt may complete (OCI distribution spec, error codes). */
const LOST_UPLOADS: string[] = ["BLOB_UPLOAD_UNKNOWN", "BLOB_UPLOAD_INVALID", "DIGEST_INVALID"];

/**
 * Seconds before the next attempt; 0 if there is none. `resumed`:
 * the last attempt may have continued with earlier bytes.
 */
export function pauseAfter(attempts: u32, failure: Failure, resumed: bool): u32 {
  if (attempts > TIMES_AGAIN || retryAfter(failure) > LONGEST_WISH) return 0;
  return mayPass(failure, resumed) ? max(PAUSE * attempts, retryAfter(failure)) : 0;
}

/** The same for a layer that is sent. A registry that was restarted may know nothing of what it got so far. */
export function pauseAfterUpload(attempts: u32, failure: Failure): u32 {
  const again = attempts <= TIMES_AGAIN && LOST_UPLOADS.includes(answeredCode(failure));
  return again ? PAUSE * attempts : pauseAfter(attempts, failure, false);
}

/** The same for a manifest, a config or a list. A registry that does not answer at all may not be there. */
export function pauseForDocument(attempts: u32, failure: Failure): u32 {
  if (attempts > DOCUMENT_AGAIN || retryAfter(failure) > LONGEST_DOCUMENT_WISH) return 0;
  const isAnswered = kindOf(failure) != FailureKind.Unreachable;
  return isAnswered && mayPass(failure, false) ? max(DOCUMENT_PAUSE * attempts, retryAfter(failure)) : 0;
}

/** The progress line of a pause. */
export function retryingIn(seconds: u32): string {
  return `Retrying in ${seconds} second${seconds == 1 ? "" : "s"}`;
}

function mayPass(failure: Failure, resumed: bool): bool {
  switch (kindOf(failure)) {
    case FailureKind.Unreachable:
      return true;
    case FailureKind.Registry:
      return answeredStatus(failure) >= SERVER_ERROR;
    case FailureKind.Limited:
      // Docker treats this as final. Here a registry that says when to retry is retried then.
      return retryAfter(failure) > 0;
    case FailureKind.Corrupt:
      // The wrong bytes may come from the earlier attempt. If all came from one answer, they would be wrong again.
      return resumed;
    default:
      return false;
  }
}
