// What a visitor can do to a session: a closed list. Each action is entered at its own moment, so replaying the list of
// actions and moments gives the same session.

import type { Fault } from "../../simulated/index.js";
import type { WrittenRequest } from "./request.js";

export type Action =
  /** Sends a request. `exchange` counts the requests of a session from 1; `cell` is its place in the notebook. */
  | { kind: "send"; exchange: number; cell: string; request: WrittenRequest }
  /** Types into an attached stream. */
  | { kind: "type"; exchange: number; text: string }
  /** Ends the input (half-close). */
  | { kind: "end-input"; exchange: number }
  /** Closes the request's connection. */
  | { kind: "cancel"; exchange: number }
  /**
   * Asks for the page at a published port, of this address if it is not on the loopback. `visit` counts the visits of a
   * session from 1.
   */
  | { kind: "visit"; visit: number; port: number; address?: string }
  | { kind: "inject"; fault: Fault; times: number | null }
  | { kind: "lift"; fault: Fault["kind"] }
  /** Kills the engine. */
  | { kind: "crash" }
  /** Starts it again. */
  | { kind: "reopen" };

export interface EnteredAction {
  /** Monotonic nanoseconds of the world. */
  readonly at: bigint;
  readonly action: Action;
}
