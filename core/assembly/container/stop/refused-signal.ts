import { Failure } from "../../../../build/bindings/types";
import { hasEnded } from "../../failure/missing";

/** Whether a signal could not be sent. A process that is gone already needs none: its exit is on its way. */
export function isRefused(failure: Failure | null): bool {
  return failure !== null && !hasEnded(failure);
}
