// What follows a run automatically: another run, the container's removal, or nothing.

import { acting, AUTO_REMOVE } from "../../origin";
import { resumeCalls } from "../../waiting-calls";
import { Container } from "../container";
import { Cause, Status } from "../lifecycle";
import { removeNow } from "../remove/remove";
import { refuseRestarts, startAgain } from "../restart/restart";
import { containerSizes } from "../usage/sizes";
import { releasedContainers } from "./release";

/** Call this in every step after its input was handled, before `watchChanged`. */
export function settleReleased(): void {
  for (let i = 0; i < releasedContainers.length; i++) settle(releasedContainers[i]);
  releasedContainers.length = 0;
}

/** A container with auto-remove is removed now, unless a restart follows. So is one whose removal ended the run. */
function settle(container: Container): void {
  const restarts = container.startsAgain && container.removals.length == 0;
  if (container.autoRemove && !restarts) container.removeVolumes = true;
  if (restarts) startAgain(container);
  else if (container.autoRemove || container.removals.length > 0) {
    if (container.removals.length == 0) acting.because(AUTO_REMOVE);
    refuseRestarts(container);
    // A build that was told of a failed start has begun the removal already.
    if (container.can(Cause.Remove)) removeNow(container);
  } else {
    const backoff = container.backoff;
    if (backoff !== null) backoff.released();
  }
  resumeCalls(container.queue);
  // A failed start may have filled volumes, and it makes the count after the previous run obsolete.
  if (container.status == Status.Exited || container.status == Status.Created) containerSizes.changed(container);
}
