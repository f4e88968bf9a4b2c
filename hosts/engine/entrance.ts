// The side of an engine that requests come in at, over whichever way.

import type { Passage } from "../request/index.js";
import type { Asking } from "../dry-run/dry-runs.js";

export interface Entrance {
  /** Throws what whoever asks from this program is told when the engine takes no requests. */
  requireOpen(): void;
  /** The way of a request, at once for those to the engine itself. */
  passage(asking: Asking): Promise<Passage> | Passage;
  /** Bytes beyond which a JSON body is thrown away. */
  readonly bodyLimit: number;
}

/** All who come in one way: over sockets, or from this program. */
export interface Clients {
  /**
   * No new ones. Resolves when nobody waits for an answer any more, or after so long. Then answers are broken off that
   * have begun, which may have no end; whoever has none yet goes on waiting.
   */
  drain(graceMs: number): Promise<void>;
  /** Behind `drain`: whoever still waits is sent away. */
  close(): void | Promise<void>;
}
