// What a registry answered that did not deliver.

import { Failure, FailureSaid, FailureTag } from "../../../build/bindings/types";

/** HTTP status, or 0. */
export function answeredStatus(failure: Failure): u16 {
  return failure.tag == FailureTag.Said ? (<FailureSaid>failure).value.status : 0;
}

/** Code of its error, as `MANIFEST_UNKNOWN`, or empty. */
export function answeredCode(failure: Failure): string {
  return failure.tag == FailureTag.Said ? (<FailureSaid>failure).value.code : "";
}

/** Seconds to wait that it asks for, or 0. */
export function retryAfter(failure: Failure): u32 {
  return failure.tag == FailureTag.Said ? (<FailureSaid>failure).value.retryAfter : 0;
}
