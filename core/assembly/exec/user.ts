// The user of an exec: when the host looks it up before the start, and what a client is told if there is none.

import { Failure, FailureTag } from "../../../build/bindings/types";
import { FailureKind } from "../failure/failure-kind";
import { kindOf } from "../failure/kind";
import { failureText } from "../failure/text";
import { badParameter, internal, Refusal } from "../refusal";

/**
 * Whether this user, which a client names for an exec, must be in the container's files. A numeric one need not be.
 */
export function mustExist(user: string): bool {
  return user.length > 0 && !isNumber(user);
}

function isNumber(user: string): bool {
  for (let i = 0; i < user.length; i++) if (user.charCodeAt(i) < 0x30 || user.charCodeAt(i) > 0x39) return false;
  return user.length < 10;
}

/** There is no such user or group; any other failure means that the files could not be read. */
export function isUnknownUser(failure: Failure): bool {
  return failure.tag != FailureTag.Call && kindOf(failure) == FailureKind.Invalid;
}

export function userRefusal(failure: Failure): Refusal {
  return isUnknownUser(failure) ? badParameter(failureText(failure)) : internal(failureText(failure));
}
