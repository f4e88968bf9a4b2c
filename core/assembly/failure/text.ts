// Texts about a host's failure, which commands put into their own messages. Docker gets most of them from Go's
// libraries and from the runtime, and clients parse them (surface §2.3, §6.2).

import {
  Failure,
  FailureBodyBroke,
  FailureCall,
  FailureDamaged,
  FailureDirectory,
  FailureExchange,
  FailureExists,
  FailureFaultyName,
  FailureIdRange,
  FailureImagined,
  FailureInternal,
  FailureInterrupted,
  FailureMalformed,
  FailureMismatch,
  FailureMisplaced,
  FailureMount,
  FailureNoSuch,
  FailurePlaceInVolume,
  FailurePort,
  FailureProgram,
  FailureRegistryAnswer,
  FailureRuntime,
  FailureSetting,
  FailureSilent,
  FailureStartBroke,
  FailureTag,
  FailureTool,
  FailureTooLarge,
  FailureUnmoved,
  FailureUnshared,
  FailureWrongKind,
  Interruption,
} from "../../../build/bindings/types";
import { answerText } from "./answer";
import { CUT, damageText, mismatchText } from "./bytes";
import { callText } from "./call";
import { exchangeText } from "./exchange";
import { idRangeText, malformedText } from "./malformed";
import { mountText, placeInVolumeText, unsharedText } from "./mount";
import { faultyNameText } from "./name";
import { portText } from "./port";
import { directoryText, programText } from "./program";
import { brokenText, runtimeText } from "./runtime";
import { existingText, imaginedText, missingText, oversizeText, silenceText, wrongKindText } from "./thing";
import { settingText, toolText, unmovedText } from "./tool";

/** The text, without a full stop. */
export function failureText(failure: Failure): string {
  switch (failure.tag) {
    case FailureTag.Interrupted:
      return interruptionText((<FailureInterrupted>failure).value);
    case FailureTag.BodyBroke:
      return (<FailureBodyBroke>failure).value;
    case FailureTag.NoSuch:
      return missingText((<FailureNoSuch>failure).value);
    case FailureTag.Exists:
      return existingText((<FailureExists>failure).value);
    case FailureTag.WrongKind:
      return wrongKindText((<FailureWrongKind>failure).value);
    case FailureTag.TooLarge:
      return oversizeText((<FailureTooLarge>failure).value);
    case FailureTag.Mismatch:
      return mismatchText((<FailureMismatch>failure).value);
    case FailureTag.Damaged:
      return damageText((<FailureDamaged>failure).value);
    case FailureTag.Malformed:
      return malformedText((<FailureMalformed>failure).value);
    case FailureTag.IdRange:
      return idRangeText((<FailureIdRange>failure).value);
    case FailureTag.Call:
      return callText((<FailureCall>failure).value);
    case FailureTag.Port:
      return portText((<FailurePort>failure).value);
    case FailureTag.FaultyName:
      return faultyNameText((<FailureFaultyName>failure).value);
    case FailureTag.PlaceInVolume:
      return placeInVolumeText((<FailurePlaceInVolume>failure).value);
    case FailureTag.Mount:
      return mountText((<FailureMount>failure).value);
    case FailureTag.Unshared:
      return unsharedText((<FailureUnshared>failure).value);
    case FailureTag.Misplaced:
      return `"${(<FailureMisplaced>failure).value.place}" is closed to mounts`;
    case FailureTag.RegistryAnswer:
      return answerText((<FailureRegistryAnswer>failure).value);
    case FailureTag.Exchange:
      return exchangeText((<FailureExchange>failure).value);
    case FailureTag.CutShort:
      return CUT;
    default:
      return workText(failure);
  }
}

/** For failures of processes, and of operations on them. */
function workText(failure: Failure): string {
  switch (failure.tag) {
    case FailureTag.Program:
      return programText((<FailureProgram>failure).value);
    case FailureTag.Directory:
      return directoryText((<FailureDirectory>failure).value);
    case FailureTag.Runtime:
      return runtimeText((<FailureRuntime>failure).value);
    case FailureTag.StartBroke:
      return brokenText((<FailureStartBroke>failure).value);
    case FailureTag.Silent:
      return silenceText((<FailureSilent>failure).value);
    case FailureTag.Unmoved:
      return unmovedText((<FailureUnmoved>failure).value);
    case FailureTag.Setting:
      return settingText((<FailureSetting>failure).value);
    case FailureTag.Tool:
      return toolText((<FailureTool>failure).value);
    case FailureTag.Imagined:
      return imaginedText((<FailureImagined>failure).value);
    default:
      return (<FailureInternal>failure).value;
  }
}

function interruptionText(why: Interruption): string {
  if (why == Interruption.ClientGone) return "client went away";
  if (why == Interruption.Answered) return "the reply ended before the request's body";
  return why == Interruption.EngineGone ? "the engine is gone" : "context canceled";
}
