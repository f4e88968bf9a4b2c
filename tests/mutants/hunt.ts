// Looks for seeds that find mutants. Most seeds find few mutants, so many mutants are active at once. If nothing is found
// then, none of them is tried alone with that seed; else each half of them is tried, down to single ones. A seed counts
// only if it finds the mutant alone. A mutant can hide another one, so each seed groups them differently.

import { createHash } from "node:crypto";
import type { Mutant } from "./mutant.js";
import type { Judge, Verdict } from "./verdict.js";

/** How many mutants are active at once: as many as are likely to be found by no seed. */
const FIRST = 4;
const FEWEST = 1;
const MOST = 32;

export class Hunt {
  readonly #judge: Judge;
  readonly #left: Set<Mutant>;
  readonly #tell: (mutant: Mutant, verdict: Verdict) => void;
  #together = FIRST;

  /** `tell` gets each mutant that is found, and each whose trial failed. Neither is tried again. */
  constructor(judge: Judge, mutants: readonly Mutant[], tell: (mutant: Mutant, verdict: Verdict) => void) {
    this.#judge = judge;
    this.#left = new Set(mutants);
    this.#tell = tell;
  }

  /** Mutants that no seed has found so far. */
  get left(): readonly Mutant[] {
    return [...this.#left];
  }

  async by(seed: number): Promise<void> {
    if (this.#left.size === 0) return;
    const running = await this.#judge.run(this.left, seed);
    const mixed = running.toSorted((one, other) => (orderOf(one, seed) < orderOf(other, seed) ? -1 : 1));
    while (mixed.length > 0) {
      const hasFound = await this.#among(mixed.splice(0, this.#together), seed);
      this.#together = hasFound ? Math.max(FEWEST, this.#together >> 1) : Math.min(MOST, this.#together * 2);
    }
  }

  /** Whether one of them was found. */
  async #among(mutants: readonly Mutant[], seed: number): Promise<boolean> {
    const group = mutants.filter((mutant) => this.#left.has(mutant));
    const [first] = group;
    if (first === undefined) return false;
    if (group.length === 1) return this.#alone(first, seed);
    if (await this.#judge.isQuiet(group, seed)) return false;
    const half = group.length >> 1;
    const inFirst = await this.#among(group.slice(0, half), seed);
    return (await this.#among(group.slice(half), seed)) || inFirst;
  }

  async #alone(mutant: Mutant, seed: number): Promise<boolean> {
    const verdict = await this.#judge.bySeed(mutant, seed);
    if (verdict.found === null && verdict.lost === null) return false;
    if (this.#left.delete(mutant)) this.#tell(mutant, verdict);
    return true;
  }
}

function orderOf({ name }: Mutant, seed: number): string {
  return createHash("sha256").update(`${seed} ${name}`).digest("hex");
}
