// A session as text for a link: the actions and their moments, which are enough to rebuild the session.

import { replay } from "../replay.js";
import { kept, maskedAction, maskedCell } from "./shareable.js";
import { BadFragment, decodeFragment, encodeFragment } from "./fragment.js";
import { hashOfSteps } from "../hash.js";
import type { LiveSession } from "../live-session.js";
import { createLiveSession } from "../create.js";
import type { NamedCore, Session } from "../session.js";

export { BadFragment } from "./fragment.js";

export interface Opened {
  readonly session: Session;
  /** What differs from when it was shared: another core, another state. Empty if nothing differs. */
  readonly warnings: readonly string[];
}

/** The text after `#`. Credentials are left out, except the public ones of the simulated registry. */
export function toFragment(session: Session): Promise<string> {
  const { core, seed, images } = session;
  return encodeFragment({
    core: core.hash,
    seed,
    images,
    cells: kept(session.cells.value).map(maskedCell),
    actions: session.actions.value.map(maskedAction),
    until: session.now().monotonic,
    state: hashOfSteps(session.steps.value),
  });
}

/**
 * Rebuilds the session on this core; its time stands still. Rejects with `BadFragment` if the text is not a session,
 * has another format, or is too large.
 */
export async function fromFragment(text: string, core: NamedCore): Promise<Opened> {
  const shared = await decodeFragment(text);
  const { seed, images, cells, actions, until } = shared;
  let session: LiveSession;
  try {
    session = await createLiveSession({ core, seed, images, pace: "stopped" }, cells);
  } catch (error) {
    throw new BadFragment("its world cannot be made here", { cause: error });
  }
  await replay(session, actions, until);
  const warnings: string[] = [];
  if (shared.core !== core.hash)
    warnings.push("It was shared from another version of the engine, so it may behave differently here.");
  if (hashOfSteps(session.steps.value) !== shared.state) {
    warnings.push("It did not reach the state that was shared.");
  }
  return { session, warnings };
}
