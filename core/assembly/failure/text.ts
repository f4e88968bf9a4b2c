// What a failure of a host is called where a client reads of it: the words that stand inside of a command's own sentence.
// Docker has most of them from Go's libraries and from the runtime; clients look into them (surface §2.3, §6.2).

import {
  Failure,
  FailureBodyBroke,
  FailureCall,
  FailureExists,
  FailureInternal,
  FailureInterrupted,
  FailureMalformed,
  FailureMisplaced,
  FailureNoSuch,
  FailureSaid,
  FailureTag,
  FailureWrongKind,
  Interruption,
} from "../../../build/bindings/types";
import { callText } from "./call";
import { malformedText } from "./malformed";
import { existingText, missingText, wrongKindText } from "./thing";

/** Without a full stop. */
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
    case FailureTag.Malformed:
      return malformedText((<FailureMalformed>failure).value);
    case FailureTag.Call:
      return callText((<FailureCall>failure).value);
    case FailureTag.Misplaced:
      return `"${(<FailureMisplaced>failure).value.place}" is closed to mounts`;
    case FailureTag.Said:
      return (<FailureSaid>failure).value.message;
    default:
      return (<FailureInternal>failure).value;
  }
}

function interruptionText(why: Interruption): string {
  if (why == Interruption.ClientGone) return "client went away";
  return why == Interruption.EngineGone ? "the engine is gone" : "context canceled";
}
