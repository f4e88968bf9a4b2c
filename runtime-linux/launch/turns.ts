// What holds up the engine's one thread for a millisecond or more, as making ready a launch does, takes turns: one such
// act in each round of the event loop, so that many of them at once hold up a request no longer than one of them does.

import { turn } from "../../hosts/shared/turn.js";

let last: Promise<void> = Promise.resolve();

/** Resolves when it is the caller's turn, in the order of the calls. */
export function ownTurn(): Promise<void> {
  last = last.then(turn);
  return last;
}
