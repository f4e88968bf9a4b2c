// Lets a task stop waiting for the end of a run.

import { Container, RunEnd } from "../container";

/** Stops waiting; false if the run has already ended. */
export function leaveRunEnd(container: Container, waiting: RunEnd): bool {
  const at = container.runEnds.indexOf(waiting);
  if (at >= 0) container.runEnds.splice(at, 1);
  return at >= 0;
}
