// Replays a list of actions, each at its moment, in a world whose time stands still between them.

import type { Action, EnteredAction } from "./action.js";
import type { Session } from "./session.js";

/** A session that can perform an action at a given moment. */
export interface Replayable extends Pick<Session, "now" | "advance"> {
  enter(action: Action, at: bigint): Promise<unknown>;
}

/** Resolves when `until` (monotonic nanoseconds of the world) is reached. The session's pace must be `stopped`. */
export async function replay(session: Replayable, actions: readonly EnteredAction[], until: bigint): Promise<void> {
  const entered = actions.map(({ at, action }) => session.enter(action, at));
  const left = until - session.now().monotonic;
  if (left > 0n) await session.advance(left);
  await Promise.all(entered);
}
