// A session as text for a link.

import type { Session } from "./session.js";

export interface Opened {
  readonly session: Session;
  /** What is different from when it was shared: another core, another state. Empty if nothing. */
  readonly warnings: readonly string[];
}
