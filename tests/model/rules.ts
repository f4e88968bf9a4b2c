// The allowed answers to a request about a container, by the container's possible states.

import type { Act, Word } from "./words.js";

/** One row per command: the allowed statuses by state, and the state after success. */
export interface Rule {
  act: Act | null;
  answers: Readonly<Record<Exclude<Word, "gone">, readonly number[]>>;
  became: Word | null;
}

const row = (
  act: Act | null,
  became: Word | null,
  [created, running, paused, restarting, exited, removing, dead]: readonly (readonly number[])[],
): Rule => ({
  act,
  became,
  answers: {
    created: created!,
    running: running!,
    paused: paused!,
    restarting: restarting!,
    exited: exited!,
    removing: removing!,
    dead: dead!,
  },
});

// What may fail although nothing is wrong with what was asked answers 500: see `mayFail` of known.ts.
// prettier-ignore
export const RULES: Readonly<Record<string, Rule>> = {
  //                              created  running     paused      restarting  exited   removing dead
  start:   row(null,      null,      [[204],  [304],      [409],      [304],      [204],   [409],   [409]]),
  stop:    row("end",     null,      [[304],  [204, 500], [204, 500], [204],      [304],   [304],   [304]]),
  kill:    row("end",     null,      [[409],  [204, 500], [204, 500], [204],      [409],   [409],   [409]]),
  restart: row("end",     null,      [[204],  [204, 500], [204, 500], [204],      [204],   [500],   [500]]),
  pause:   row("pause",   "paused",  [[409],  [204, 409], [409],      [409],      [409],   [409],   [409]]),
  unpause: row("unpause", "running", [[500],  [500],      [204, 500], [500],      [500],   [500],   [500]]),
  remove:  row("remove",  "gone",    [[204],  [409],      [409],      [409],      [204],   [409],   [204]]),
  force:   row("force",   "gone",    [[204],  [204, 500], [204, 500], [204, 500], [204],   [409],   [204]]),
  wait:    row(null,      null,      [[200],  [200],      [200],      [200],      [200],   [200],   [200]]),
  inspect: row(null,      null,      [[200],  [200],      [200],      [200],      [200],   [200],   [200]]),
  exec:    row(null,      null,      [[409],  [201, 409], [409],      [409],      [409],   [409],   [409]]),
};

/** Commands that read files, or pause a container for that: their answers are not predicted. */
export const HOLDING: readonly string[] = ["commit", "archive", "export", "changes"];

/** Commands that may fail on the host. */
export const FALLIBLE: readonly string[] = ["start", "restart", "pause", "unpause", "remove", "force"];
