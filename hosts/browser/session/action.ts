// What someone can do to a session from outside: a closed list. Each is entered at a moment of its own, so that the list
// of actions and moments, given again, makes the same session again.

import type { Fault } from "../../simulated/faults.js";
import type { WrittenRequest } from "./request.js";

export type Action =
  /** Sends a request; `exchange` counts the requests of a session from 1, `cell` is where it stands in the notebook. */
  | { kind: "send"; exchange: number; cell: string; request: WrittenRequest }
  /** Types into a stream that is attached. */
  | { kind: "type"; exchange: number; text: string }
  /** Half-closes it: the end of the input. */
  | { kind: "end-input"; exchange: number }
  /** Breaks the request's connection off. */
  | { kind: "cancel"; exchange: number }
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
