// The builds by BuildKit that are under way, by the refs that their clients have given them. And the refs of those that are
// over: a call that comes late need not wait for them.

import { Arrivals, Awaiting } from "./arrivals";
import { Solve, SolveOwner } from "./solve";

/** More builds than end while a call is on its way. */
const MOST_ENDED: i32 = 100;
/** In UTF-16 units. Longer refs are not kept. */
const LONGEST_REF: i32 = 1024;

class Solves implements SolveOwner {
  private readonly byRef: Map<string, Solve> = new Map<string, Solve>();
  /** The latest last. */
  private readonly ended: Set<string> = new Set<string>();
  private readonly arrivals: Arrivals<Solve> = new Arrivals<Solve>();

  find(ref: string): Solve | null {
    return this.byRef.has(ref) ? this.byRef.get(ref) : null;
  }

  add(solve: Solve): void {
    this.byRef.set(solve.ref, solve);
  }

  /** Its calls have perhaps come before it: they go on once it has begun. */
  tell(solve: Solve): void {
    this.arrivals.tell(solve.ref, solve);
  }

  solveOver(solve: Solve): void {
    const ref = solve.ref;
    if (this.find(ref) === solve) this.byRef.delete(ref);
    if (ref.length > LONGEST_REF) return;
    this.ended.delete(ref);
    this.ended.add(ref);
    if (this.ended.size > MOST_ENDED) this.ended.delete(this.ended.values()[0]);
  }

  /** Whether a build with this ref was under way not long ago. */
  hasEnded(ref: string): bool {
    return this.ended.has(ref);
  }

  wait(one: Awaiting<Solve>): void {
    this.arrivals.wait(one);
  }
}

export const solves: Solves = new Solves();
