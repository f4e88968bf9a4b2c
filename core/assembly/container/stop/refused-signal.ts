import { Failure } from "../../../../build/bindings/types";
import { FailureKind } from "../../failure/failure-kind";
import { kindOf } from "../../failure/kind";

/** Whether a signal could not be sent. A process that is gone already needs none: its exit is on its way. */
export function isRefused(failure: Failure | null): bool {
  return failure !== null && kindOf(failure) != FailureKind.NotFound;
}
