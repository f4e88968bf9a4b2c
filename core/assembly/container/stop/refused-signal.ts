import { Failure } from "../../../../build/bindings/types";
import { hasEnded } from "../../failure/missing";

/** Whether sending the signal failed. If the process had already ended, that is no failure: its exit is on the way. */
export function isRefused(failure: Failure | null): bool {
  return failure !== null && !hasEnded(failure);
}
