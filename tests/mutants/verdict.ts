// What becomes of a mutant, whoever finds it.

import { numberOf } from "./mutants.js";
import type { Mutant } from "./mutant.js";
import { type Seeds, seedsToTry } from "./seeds.js";
import type { Trial, Trials } from "./trials.js";
import { triedByTests } from "./unit-tests.js";

export interface Verdict {
  /** Seed of the simulator; null if none of them does. */
  seed: number | null;
  /** Who finds it, after how much, and by which rule; null if it survives. */
  found: string | null;
}

export class Judge {
  readonly #trials: Trials;
  readonly #seeds: Seeds;
  /** Seeds that the core finds nothing with as it should be. */
  readonly #right = new Map<number, Promise<boolean>>();

  constructor(trials: Trials, seeds: Seeds) {
    this.#trials = trials;
    this.#seeds = seeds;
  }

  /** By whoever is said to find it. */
  async byFinder(mutant: Mutant): Promise<string | null> {
    const { finder } = mutant;
    if (finder === "simulator") return (await this.bySeeds(mutant)).found;
    if (finder === "search") return this.#by(mutant, "search", "the search", "moves");
    if ("story" in finder) return this.#by(mutant, finder, `the story ${finder.story}`, "lines");
    if ("played" in finder) return this.#by(mutant, finder, `the simulator's story ${finder.played}`, "steps");
    return (await triedByTests([mutant])).get(mutant) ?? null;
  }

  async bySeeds(mutant: Mutant): Promise<Verdict> {
    let all = 0;
    for (const seed of seedsToTry(this.#seeds[mutant.name])) {
      const { found, steps } = await this.#trials.try({ mutant: numberOf(mutant), by: { seed } });
      all += steps;
      if (found === null || !(await this.#isRight(seed))) continue;
      return { seed, found: `seed ${seed}, after ${all} steps: ${brief(found)}` };
    }
    return { seed: null, found: null };
  }

  async #by(mutant: Mutant, by: Trial["by"], who: string, what: string): Promise<string | null> {
    const { found, steps } = await this.#trials.try({ mutant: numberOf(mutant), by });
    return found === null ? null : `${who}, after ${steps} ${what}: ${brief(found)}`;
  }

  #isRight(seed: number): Promise<boolean> {
    const known = this.#right.get(seed);
    if (known !== undefined) return known;
    const asked = this.#trials.try({ mutant: 0, by: { seed } }).then(({ found }) => found === null);
    this.#right.set(seed, asked);
    return asked;
  }
}

function brief(found: string): string {
  const line = found.split("\n")[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
