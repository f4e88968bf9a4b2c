// The side of an engine where requests come in, from any kind of client.

import type { Passage } from "../request/index.js";
import type { Asking } from "../dry-run/index.js";

export interface Entrance {
  /** If the engine takes no requests, throws the error for callers in this program. */
  requireOpen(): void;
  /** The way of a request; without waiting if it goes to the engine itself. */
  passage(asking: Asking): Promise<Passage> | Passage;
  /** A JSON body beyond this many bytes is dropped. */
  readonly bodyLimit: number;
}

/** All clients of one kind: over sockets, or from this program. */
export interface Clients {
  /**
   * Accepts no new clients. Resolves when nobody waits for an answer any more, or after this time. Then it breaks off
   * answers that have begun, since these may have no end. Clients without an answer continue to wait.
   */
  drain(graceMs: number): Promise<void>;
  /** Call this after `drain`: sends away the clients that still wait. */
  close(): void | Promise<void>;
}
