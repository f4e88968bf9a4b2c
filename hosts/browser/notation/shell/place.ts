// Where a command runs, and where its output and errors go.

import type { Sender } from "../plan.js";
import type { Feed } from "./feed.js";
import { STDERR, STDOUT, type Taken } from "./output.js";
import type { Simple } from "./script.js";
import type { Variables } from "./variables.js";

export interface Place {
  readonly version: string;
  readonly sender: Sender;
  /** Kept from line to line. */
  readonly variables: Variables;
  /** Shows text that the command itself prints. */
  show(text: string): void;
  remark(text: string): void;
  /** Reports why a command did nothing. The next command may still run. */
  refuse(problem: string): void;
  /** Aborted by Ctrl-C. */
  readonly interrupted?: AbortSignal;
}

export interface How {
  /** Whether another command follows. */
  readonly waits: boolean;
  /** Whether another command reads its output; as it arrives if there is a feed. */
  readonly captured: boolean;
  readonly feed?: Feed | undefined;
  /** The streams that are read; stdout if not given. */
  readonly taken?: Taken;
}

/** The place for a command with redirected output or errors. `keep` takes errors that go with the output. */
export function redirected(
  { streams: { out, err } }: Simple,
  place: Place,
  how: How,
  keep: (problem: string) => void,
): [Place, How] {
  const toOutput = how.captured ? keep : (problem: string): void => place.show(problem);
  const refuse = err === "err" ? place.refuse : err === "nothing" ? (): void => {} : toOutput;
  const its = { ...place, refuse };
  const taken = new Set<typeof STDOUT | typeof STDERR>();
  if (out === "out") taken.add(STDOUT);
  if (err === "out") taken.add(STDERR);
  if (out === "err") return [its, { waits: true, captured: false }];
  return [its, out === "out" ? { ...how, taken } : { ...how, waits: true, captured: true, taken }];
}

/** Stops a command that nobody needs any more: after Ctrl-C, or without a reader for its output. */
export function stopOf(place: Place, { feed }: How): AbortSignal {
  return AbortSignal.any([place.interrupted, feed?.closed].filter((signal) => signal !== undefined));
}
