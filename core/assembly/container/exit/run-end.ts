// Something that waits for a run to end may give that up.

import { Container, RunEnd } from "../container";

/** Waits no more; false if the run has ended. */
export function leaveRunEnd(container: Container, waiting: RunEnd): bool {
  const at = container.runEnds.indexOf(waiting);
  if (at >= 0) container.runEnds.splice(at, 1);
  return at >= 0;
}
