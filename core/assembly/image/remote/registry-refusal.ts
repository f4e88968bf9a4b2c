// The answer to a client when a registry does not answer its question: with the status of the registry's own answer
// (surface §2.3, §2.21).

import { Failure } from "../../../../build/bindings/types";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { Refusal, RefusalKind } from "../../refusal";

export function registryRefusal(failure: Failure): Refusal {
  return new Refusal(refusalKind(kindOf(failure)), failureText(failure));
}

function refusalKind(kind: FailureKind): RefusalKind {
  switch (kind) {
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
