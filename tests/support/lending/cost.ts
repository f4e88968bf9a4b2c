// Processor time that a file causes outside its process and the children that it waits for, which runner.ts counts:
// of lent engines while it uses them, and of a browser's processes.
import { childrenOf, processorSecondsOf } from "../processes.js";

interface Costs {
  /** Processor time of the lent engines before the loan, by process. */
  readonly before: Map<number, number>;
  /** Processor time of returned engines. */
  ended: number;
  /** Processor time of processes that nobody waits for. */
  unwaited: number;
}

/** vitest loads the runner's modules separately from those of the tests. They share this object. */
const shared = globalThis as { coracleLent?: Costs };
const costs = (shared.coracleLent ??= { before: new Map(), ended: 0, unwaited: 0 });

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

/** Must run before they end. */
export function countUnwaited(pids: readonly number[]): void {
  costs.unwaited += pids.reduce((sum, one) => sum + processorSecondsOf(one), 0);
}

/** Time of all engines that this process has borrowed and returned. */
export function lentSeconds(): number {
  return costs.ended;
}

/** Time of all processes counted by `countUnwaited`. */
export function unwaitedSeconds(): number {
  return costs.unwaited;
}

/** The reference does most work in a child process. */
function secondsOf(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + processorSecondsOf(one), 0);
}
