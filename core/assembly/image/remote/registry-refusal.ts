// The answer to a client when a registry does not answer its question: with the status that belongs to the code in the
// registry's answer (OCI distribution spec, error codes; surface §2.3, §2.21).

import { Failure } from "../../../../build/bindings/types";
import { answeredCode, answeredStatus } from "../../failure/answer";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { Refusal, RefusalKind } from "../../refusal";

/** Docker reads no codes in answers with this status or a higher one. */
const SERVER_ERROR: u16 = 500;

export function registryRefusal(failure: Failure): Refusal {
  return new Refusal(refusalKind(failure), failureText(failure));
}

function refusalKind(failure: Failure): RefusalKind {
  const code = answeredCode(failure);
  // Somebody whom the registry knows may not do it: asking for other credentials would not help.
  if (code == "UNAUTHORIZED" && kindOf(failure) == FailureKind.Denied) return RefusalKind.Forbidden;
  if (code.length > 0) return answeredStatus(failure) < SERVER_ERROR ? kindOfCode(code) : RefusalKind.Internal;
  switch (kindOf(failure)) {
    case FailureKind.NotFound:
      return RefusalKind.NotFound;
    case FailureKind.Denied:
      return RefusalKind.Forbidden;
    case FailureKind.Unauthorized:
      return RefusalKind.Unauthorized;
    case FailureKind.Limited:
      return RefusalKind.Limited;
    default:
      return RefusalKind.Internal;
  }
}

function kindOfCode(code: string): RefusalKind {
  if (code == "UNAUTHORIZED") return RefusalKind.Unauthorized;
  if (code == "DENIED") return RefusalKind.Forbidden;
  if (code == "UNSUPPORTED") return RefusalKind.NotAllowed;
  if (code == "TOOMANYREQUESTS") return RefusalKind.Limited;
  if (code == "UNAVAILABLE") return RefusalKind.Unavailable;
  if (UNKNOWN.includes(code)) return RefusalKind.NotFound;
  return INVALID.includes(code) ? RefusalKind.BadParameter : RefusalKind.Internal;
}

const UNKNOWN: string[] = [
  "NAME_UNKNOWN",
  "MANIFEST_UNKNOWN",
  "BLOB_UNKNOWN",
  "BLOB_UPLOAD_UNKNOWN",
  "BLOB_UPLOAD_INVALID",
];
const INVALID: string[] = [
  "NAME_INVALID",
  "TAG_INVALID",
  "DIGEST_INVALID",
  "SIZE_INVALID",
  "MANIFEST_INVALID",
  "MANIFEST_UNVERIFIED",
  "MANIFEST_BLOB_UNKNOWN",
];
