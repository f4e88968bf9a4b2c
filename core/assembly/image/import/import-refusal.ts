// The answer to a client whose import failed (surface §6.2).

import { Failure } from "../../../../build/bindings/types";
import { answeredStatus, webAnswerText } from "../../failure/answer";
import { kindOf } from "../../failure/kind";
import { failureText } from "../../failure/text";
import { internal, Refusal, RefusalKind } from "../../refusal";
import { brokenTar, isOfTar } from "../archive/archive-reader";

export function importRefusal(failure: Failure): Refusal {
  const status = answeredStatus(failure);
  if (status != 0) return new Refusal(answeredKind(status), webAnswerText(failure));
  const text = failureText(failure);
  return internal(isOfTar(kindOf(failure)) ? brokenTar(text) : text);
}

/** A web server's refusals of four kinds are told with their own status. */
export function answeredKind(status: u16): RefusalKind {
  switch (status) {
    case 400:
      return RefusalKind.BadParameter;
    case 401:
      return RefusalKind.Unauthorized;
    case 403:
      return RefusalKind.Forbidden;
    case 404:
      return RefusalKind.NotFound;
    default:
      return RefusalKind.Internal;
  }
}
