// What sort of failure it is: what commands decide by, whatever it is called.

import {
  Failure,
  FailureCall,
  FailureKind,
  FailureNoSuch,
  FailureSaid,
  FailureTag,
} from "../../../build/bindings/types";
import { callKind } from "./call";
import { missingKind } from "./thing";

export function kindOf(failure: Failure): FailureKind {
  switch (failure.tag) {
    case FailureTag.Interrupted:
    case FailureTag.BodyBroke:
      return FailureKind.Interrupted;
    case FailureTag.NoSuch:
      return missingKind((<FailureNoSuch>failure).value.what);
    case FailureTag.Exists:
      return FailureKind.Exists;
    case FailureTag.WrongKind:
    case FailureTag.Malformed:
    case FailureTag.Misplaced:
      return FailureKind.Invalid;
    case FailureTag.Call:
      return callKind((<FailureCall>failure).value.error);
    case FailureTag.Said:
      return (<FailureSaid>failure).value.kind;
    default:
      return FailureKind.Internal;
  }
}
