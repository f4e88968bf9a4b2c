// Answers for a request whose body cannot be read: an archive, an export, saved images, logs.

import { Failure, FailureCall, FailureTag } from "../../../build/bindings/types";
import { internal, notFound, Refusal } from "../refusal";
import { FailureKind } from "./failure-kind";
import { kindOf } from "./kind";
import { failureText } from "./text";

/**
 * 404 for something that was meanwhile removed. No client asks for
 * a file of the machine, so a missing one is an internal error.
 */
export function sourceRefusal(failure: Failure): Refusal {
  const text = failureText(failure);
  if (failure.tag == FailureTag.Call && !(<FailureCall>failure).value.inside) return internal(text);
  return kindOf(failure) == FailureKind.NotFound ? notFound(text) : internal(text);
}
