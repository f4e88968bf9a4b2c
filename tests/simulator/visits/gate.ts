// Checks that stories reach all cases of the boundary, and that enough of their requests succeed.

import { UNVISITED } from "./unvisited.js";
import { SHOWN } from "./shown.js";
import { sum } from "./table.js";
import type { Visited } from "./visits.js";

/** The complaints about the visits of many drawn stories, one per line. `entries`: all cases. */
export function complaints(entries: readonly string[], { entries: counts, statuses }: Visited): string[] {
  const isVisited = (entry: string): boolean => (counts[entry] ?? 0) > 0;
  const isExcused = (entry: string): boolean => entry in UNVISITED || entry in SHOWN;
  return [
    ...entries.filter((entry) => !isVisited(entry) && !isExcused(entry)).map((entry) => `${entry} is never visited`),
    ...Object.keys(UNVISITED)
      .filter(isVisited)
      .map((entry) => `${entry} is visited: visits/unvisited.ts says that it cannot be`),
    ...SHARES.flatMap(({ what, routes, is, not, least }) => {
      const part = sum(statuses, routes, is ?? not) / Math.max(1, sum(statuses, routes));
      const share = is === undefined ? 1 - part : part;
      return share >= least ? [] : [`${what}: ${Math.round(share * 100)} of 100, not ${Math.round(least * 100)}`];
    }),
  ];
}

/** Excused entries that are not in the WIT. */
export function strangers(entries: readonly string[]): string[] {
  return [...Object.keys(UNVISITED), ...Object.keys(SHOWN)].filter((entry) => !entries.includes(entry));
}

interface Share {
  what: string;
  routes: RegExp;
  /** Answers with these statuses count. */
  is?: readonly string[];
  /** Or all answers except those with these statuses. */
  not?: readonly string[];
  least: number;
}

/** Requests that must succeed often enough, since stories without effects find no bugs. */
const SHARES: readonly Share[] = [
  { what: "requests about a named object that exists", routes: /\{\w+\}/, not: ["404"], least: 0.75 },
  { what: "starts of a container that exists", routes: /\/containers\/\{name\}\/start$/, not: ["404"], least: 0.75 },
  { what: "pauses that succeed", routes: /\/pause$/, is: ["204"], least: 0.2 },
  { what: "execs that are made", routes: /\/containers\/\{name\}\/exec$/, is: ["201"], least: 0.2 },
];
