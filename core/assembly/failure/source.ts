// What a client is told whose reply was to be made of bytes that cannot be had: an archive, an export, saved images, logs.

import { Failure, FailureCall, FailureTag } from "../../../build/bindings/types";
import { internal, notFound, Refusal } from "../refusal";
import { FailureKind } from "./failure-kind";
import { kindOf } from "./kind";
import { failureText } from "./text";

/** 404 for what has gone meanwhile. Nobody has asked for a file of the machine: that one is missing is a defect. */
export function sourceRefusal(failure: Failure): Refusal {
  const text = failureText(failure);
  if (failure.tag == FailureTag.Call && !(<FailureCall>failure).value.inside) return internal(text);
  return kindOf(failure) == FailureKind.NotFound ? notFound(text) : internal(text);
}
