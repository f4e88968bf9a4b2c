// Processor time of lent engines while a file uses them. They are not children of the file's process, which counts only
// its children (runner.ts).
import { childrenOf, processorSecondsOf } from "../processes.js";

interface Costs {
  /** Processor time of the lent engines before the loan, by process. */
  readonly before: Map<number, number>;
  /** Processor time of returned engines. */
  ended: number;
}

/** vitest loads the runner's modules separately from those of the tests. They share this object. */
const shared = globalThis as { coracleLent?: Costs };
const costs = (shared.coracleLent ??= { before: new Map(), ended: 0 });

export function beginCost(pid: number): void {
  costs.before.set(pid, secondsOf(pid));
}

/** Must run before another file can borrow it. */
export function endCost(pid: number): void {
  const had = costs.before.get(pid);
  if (had === undefined) return;
  costs.before.delete(pid);
  // An ended process no longer reports its time.
  costs.ended += Math.max(0, secondsOf(pid) - had);
}

/** Time of all engines that this process has borrowed and returned. */
export function lentSeconds(): number {
  return costs.ended;
}

/** The reference does most work in a child process. */
function secondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + processorSecondsOf(one), 0);
}
