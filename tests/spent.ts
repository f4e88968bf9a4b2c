// Processor seconds of a test file, by what used them.

import { lentSeconds, unwaitedSeconds } from "./support/lending/cost.js";
import { processorSecondsOf } from "./support/processes.js";

export interface Spent {
  /** Of the process that runs the file. */
  readonly own: number;
  /** Of programs that it started and that have ended: engines of its own, clients, compilers. */
  readonly programs: number;
  /** Of engines lent to it. */
  readonly lent: number;
  /** Of browsers. Nobody waits for their processes, so vitest's own process does not see them. */
  readonly browsers: number;
}

export const NOTHING: Spent = { own: 0, programs: 0, lent: 0, browsers: 0 };

/** Since this process began. */
export function spentSoFar(): Spent {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1_000_000;
  const programs = Math.max(0, processorSecondsOf("self") - own);
  return { own, programs, lent: lentSeconds(), browsers: unwaitedSeconds() };
}

export function spentBetween(before: Spent, after: Spent): Spent {
  return combined(after, before, (one, other) => one - other);
}

export function sumOf(all: readonly Spent[]): Spent {
  return all.reduce((sum, one) => combined(sum, one, (a, b) => a + b), NOTHING);
}

export function total({ own, programs, lent, browsers }: Spent): number {
  return own + programs + lent + browsers;
}

function combined(one: Spent, other: Spent, by: (one: number, other: number) => number): Spent {
  return {
    own: by(one.own, other.own),
    programs: by(one.programs, other.programs),
    lent: by(one.lent, other.lent),
    browsers: by(one.browsers, other.browsers),
  };
}
