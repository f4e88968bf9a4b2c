// What a client is told whose reply was to be made of bytes that cannot be had: an archive, an export, saved images, logs.

import { Failure, FailureKind, FailureTag } from "../../../build/bindings/types";
import { internal, notFound, Refusal } from "../refusal";
import { kindOf } from "./kind";
import { failureText } from "./text";

/** 404 for what has gone meanwhile. A file of the machine that is missing is nothing that the client has asked for. */
export function sourceRefusal(failure: Failure): Refusal {
  const text = failureText(failure);
  if (failure.tag == FailureTag.Call) return internal(text);
  return kindOf(failure) == FailureKind.NotFound ? notFound(text) : internal(text);
}
