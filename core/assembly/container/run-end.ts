import { Container } from "./container";

/** Something that waits for a container's run to end: a stop, a kill. */
export interface RunEnd {
  runEnded(container: Container): void;
}

/** Waits no more; false if the run has ended. */
export function leaveRunEnd(container: Container, waiting: RunEnd): bool {
  const at = container.runEnds.indexOf(waiting);
  if (at >= 0) container.runEnds.splice(at, 1);
  return at >= 0;
}
