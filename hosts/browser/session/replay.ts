// Replays a list of actions, each at its moment, in a world whose time stands still between them.

import type { EnteredAction } from "./action.js";
import type { LiveSession } from "./live-session.js";

/** Resolves when `until` (monotonic nanoseconds of the world) is reached. The session's pace must be `stopped`. */
export async function replay(session: LiveSession, actions: readonly EnteredAction[], until: bigint): Promise<void> {
  const entered = actions.map(({ at, action }) => session.enter(action, at));
  const left = until - session.now().monotonic;
  if (left > 0n) await session.advance(left);
  await Promise.all(entered);
}
