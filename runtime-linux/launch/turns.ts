// A queue for work that blocks the engine's one thread for a millisecond or more, such as preparing a launch. One piece
// runs in each round of the event loop, so that many at once delay a request no longer than one does.

import { turn } from "../../hosts/shared/index.js";

let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn, in the order of the calls. */
export function ownTurn(): Promise<void> {
  last = last.then(turn);
  return last;
}
