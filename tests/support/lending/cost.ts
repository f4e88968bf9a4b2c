// What lent engines take of the processors while a file has them: they are no children of the file's process, which counts
// only those (runner.ts).
import { childrenOf, processorSecondsOf } from "../processes.js";

interface Costs {
  /** Of engines that are lent now, by process: what each had taken before. */
  readonly before: Map<number, number>;
  /** Of engines that were given back. */
  ended: number;
}

/** vitest loads the runner's modules apart from those of the tests: the two meet here. */
const shared = globalThis as { coracleLent?: Costs };
const costs = (shared.coracleLent ??= { before: new Map(), ended: 0 });

export function beginCost(pid: number): void {
  costs.before.set(pid, secondsOf(pid));
}

/** Before another file can have it. */
export function endCost(pid: number): void {
  const had = costs.before.get(pid);
  if (had === undefined) return;
  costs.before.delete(pid);
  // Of a process that has ended nothing is told any more.
  costs.ended += Math.max(0, secondsOf(pid) - had);
}

/** Of all that this process had and gave back. */
export function lentSeconds(): number {
  return costs.ended;
}

/** The reference leaves most to a process below it. */
function secondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + processorSecondsOf(one), 0);
}
