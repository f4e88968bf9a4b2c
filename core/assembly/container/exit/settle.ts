// What follows a run automatically: another run, the container's removal, or nothing.

import { acting, AUTO_REMOVE } from "../../origin";
import { Container } from "../container";
import { takeUpQueue } from "../queue";
import { removeNow } from "../remove/remove";
import { refuseRestarts, startAgain } from "../restart/restart";

/** A container with auto-remove is removed now, unless a restart follows. So is one whose removal ended the run. */
export function settle(container: Container): void {
  const restarts = container.startsAgain && container.removals.length == 0;
  if (container.autoRemove && !restarts) container.removeVolumes = true;
  if (restarts) startAgain(container);
  else if (container.autoRemove || container.removals.length > 0) {
    if (container.removals.length == 0) acting.because(AUTO_REMOVE);
    refuseRestarts(container);
    removeNow(container);
  } else {
    const backoff = container.backoff;
    if (backoff !== null) backoff.released();
  }
  takeUpQueue(container);
}
