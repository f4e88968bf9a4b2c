// Messages for volumes that a container cannot have.

import { Failure, FailureMount, FailureTag } from "../../../../build/bindings/types";
import { failureText } from "../../failure/text";

/** Why a volume could not be made, or mounted for a container. */
export function volumeProblem(failure: Failure): string {
  const text = failureText(failure);
  if (failure.tag != FailureTag.Mount) return text;
  return `error while mounting volume '${(<FailureMount>failure).value.place}': ${text}`;
}
