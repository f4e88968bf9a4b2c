// The builds by BuildKit that are under way, by the refs that their clients have given them.

import { Arrivals, Awaiting } from "./arrivals";
import { Solve, SolveOwner } from "./solve";

class Solves implements SolveOwner {
  private readonly byRef: Map<string, Solve> = new Map<string, Solve>();
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
    if (this.find(solve.ref) === solve) this.byRef.delete(solve.ref);
  }

  wait(one: Awaiting<Solve>): void {
    this.arrivals.wait(one);
  }
}

export const solves: Solves = new Solves();
