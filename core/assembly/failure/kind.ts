// The kind of a failure, by which commands decide what to do.

import {
  Failure,
  FailureCall,
  FailureDamaged,
  FailureExchange,
  FailureFaultyName,
  FailureMalformed,
  FailureNoSuch,
  FailurePort,
  FailureProgram,
  FailureRegistryAnswer,
  FailureRuntime,
  FailureTag,
  FailureTooLarge,
} from "../../../build/bindings/types";
import { answerKind } from "./answer";
import { damageKind } from "./bytes";
import { callKind } from "./call";
import { exchangeKind } from "./exchange";
import { FailureKind } from "./failure-kind";
import { malformedKind } from "./malformed";
import { faultyNameKind } from "./name";
import { programKind } from "./program";
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
    case FailureTag.IdRange:
    case FailureTag.PlaceInVolume:
    case FailureTag.Unshared:
    case FailureTag.Misplaced:
    case FailureTag.Setting:
      return FailureKind.Invalid;
    case FailureTag.Malformed:
      return malformedKind((<FailureMalformed>failure).value.what);
    case FailureTag.RegistryAnswer:
      return answerKind((<FailureRegistryAnswer>failure).value);
    case FailureTag.Exchange:
      return exchangeKind((<FailureExchange>failure).value);
    case FailureTag.CutShort:
      return FailureKind.Unreachable;
    case FailureTag.Port:
      return callKind((<FailurePort>failure).value.error);
    case FailureTag.Call:
      return callKind((<FailureCall>failure).value.error);
    case FailureTag.Program:
      return programKind((<FailureProgram>failure).value);
    case FailureTag.Directory:
      return FailureKind.CommandNotFound;
    case FailureTag.Runtime:
      return (<FailureRuntime>failure).value.said.trim().length > 0 ? FailureKind.Invalid : FailureKind.Internal;
    case FailureTag.Unmoved:
      return FailureKind.Busy;
    case FailureTag.Imagined:
      return FailureKind.Unsupported;
    default:
      return FailureKind.Internal;
  }
}
