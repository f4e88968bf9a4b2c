// Where a command is run, and where what it prints and complains of goes.

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
  /** Shows what a command has to show by itself. */
  show(text: string): void;
  remark(text: string): void;
  /** Says why a command did nothing; what comes after it may be run all the same. */
  refuse(problem: string): void;
  /** Aborted by Ctrl-C. */
  readonly interrupted?: AbortSignal;
}

export interface How {
  /** Something comes after it. */
  readonly waits: boolean;
  /** What it prints is read by another command, at once where there is a feed. */
  readonly captured: boolean;
  readonly feed?: Feed | undefined;
  /** Of what it writes, what is read; its output if not said. */
  readonly taken?: Taken;
}

/** Where a command is run whose output or complaints go elsewhere. `keep`: takes complaints that go with the output. */
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

/** Stops a command once nobody wants it any more: Ctrl-C, or no reader of what it writes. */
export function stopOf(place: Place, { feed }: How): AbortSignal {
  return AbortSignal.any([place.interrupted, feed?.closed].filter((signal) => signal !== undefined));
}
