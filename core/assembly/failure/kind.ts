// What sort of failure it is: what commands decide by, whatever it is called.

import {
  Failure,
  FailureCall,
  FailureDamaged,
  FailureFaultyName,
  FailureKind,
  FailureNoSuch,
  FailurePort,
  FailureSaid,
  FailureTag,
  FailureTooLarge,
} from "../../../build/bindings/types";
import { damageKind } from "./bytes";
import { callKind } from "./call";
import { faultyNameKind } from "./name";
import { missingKind, oversizeKind } from "./thing";

export function kindOf(failure: Failure): FailureKind {
  switch (failure.tag) {
    case FailureTag.Interrupted:
    case FailureTag.BodyBroke:
      return FailureKind.Interrupted;
    case FailureTag.NoSuch:
      return missingKind((<FailureNoSuch>failure).value.what);
    case FailureTag.Exists:
      return FailureKind.Exists;
    case FailureTag.TooLarge:
      return oversizeKind((<FailureTooLarge>failure).value.what);
    case FailureTag.Mismatch:
      return FailureKind.Corrupt;
    case FailureTag.Damaged:
      return damageKind((<FailureDamaged>failure).value.what);
    case FailureTag.FaultyName:
      return faultyNameKind((<FailureFaultyName>failure).value.what);
    case FailureTag.WrongKind:
    case FailureTag.Malformed:
    case FailureTag.PlaceInVolume:
    case FailureTag.Unshared:
    case FailureTag.Misplaced:
      return FailureKind.Invalid;
    case FailureTag.Port:
      return callKind((<FailurePort>failure).value.error);
    case FailureTag.Call:
      return callKind((<FailureCall>failure).value.error);
    case FailureTag.Said:
      return (<FailureSaid>failure).value.kind;
    default:
      return FailureKind.Internal;
  }
}
