// The verdict on a mutant, whatever finds it.

import { numberOf } from "./mutants.js";
import type { Mutant } from "./mutant.js";
import type { Seeds } from "./seeds.js";
import type { Answer, Trial, Trials } from "./trials.js";

export interface Verdict {
  /** What finds it, after how many steps, and by which rule; null if it survives. */
  found: string | null;
  /** Seed of the simulator; null if no seed finds it. */
  seed: number | null;
  /** Why a trial did not finish, which does not show what would have found the mutant. */
  lost: string | null;
}

export const NOBODY: Verdict = { seed: null, found: null, lost: null };

/** What to do about a seed that finds nothing. */
const REMEDY =
  'run `npm run simulate -- --mutants --only "NAME" --write`, and commit tests/mutants/seeds.json; ' +
  "if no seed finds it, give the mutant another finder";

export class Judge {
  readonly #trials: Trials;
  readonly #seeds: Seeds;
  /** Results of the correct core, by finder. */
  readonly #right = new Map<string, Promise<Answer>>();

  constructor(trials: Trials, seeds: Seeds) {
    this.#trials = trials;
    this.#seeds = seeds;
  }

  /** Uses the search, a story or a scenario: the mutant's named finder. */
  async byFinder(mutant: Mutant): Promise<Verdict> {
    const { finder } = mutant;
    if (finder === "simulator") return this.byKnownSeed(mutant);
    if (finder === "search") return this.#bySearch(mutant);
    if ("story" in finder) return this.#by(mutant, finder, `the story ${finder.story}`, "lines");
    if ("played" in finder) return this.#by(mutant, finder, `the simulator's story ${finder.played}`, "steps");
    throw new Error(`${finder.test} is run with others of its kind`);
  }

  /** Uses only the seed of seeds.json. If it finds nothing, the file is out of date, and the message says what to do. */
  async byKnownSeed(mutant: Mutant): Promise<Verdict> {
    const known = this.#seeds[mutant.name] ?? null;
    const verdict = known === null ? NOBODY : await this.bySeed(mutant, known);
    if (verdict.found !== null || verdict.lost !== null) return verdict;
    const says = known === null ? "no seed finds it by seeds.json" : `seed ${known} no longer finds it`;
    return { ...verdict, lost: `${says}: ${REMEDY.replace("NAME", mutant.name)}` };
  }

  async bySeed(mutant: Mutant, seed: number): Promise<Verdict> {
    const answer = await this.#try([mutant], { seed });
    const { found, steps, lost = null } = answer;
    if (found === null || !(await this.#holds(seed, answer))) return { ...NOBODY, lost };
    return { seed, found: `seed ${seed}, after ${steps} steps: ${brief(found)}`, lost: null };
  }

  /** Without a mutant, the seed's story must hold for as many lines: its whole story has more, or the first of them end. */
  async #holds(seed: number, { steps, lines = 0 }: Answer): Promise<boolean> {
    const right = await this.#rightBy({ seed });
    if (right.found !== null || right.lost !== undefined) return false;
    const isInside = lines <= (right.lines ?? 0) && steps < right.steps;
    return isInside || lines === right.lines || (await this.#isRight({ seed, lines }));
  }

  /** Whether nothing is found while all of these are active. */
  async isQuiet(mutants: readonly Mutant[], seed: number): Promise<boolean> {
    const { found, lost } = await this.#try(mutants, { seed });
    return found === null && lost === undefined;
  }

  /** Those whose code runs with the seed. None, if the seed finds something without a mutant. */
  async run(mutants: readonly Mutant[], seed: number): Promise<Mutant[]> {
    const { found, lost, asked = [] } = await this.#rightBy({ seed });
    if (found !== null || lost !== undefined) return [];
    return mutants.filter((mutant) => (asked[numberOf(mutant)] ?? 0) > 0);
  }

  /** Without a mutant, the same search must hold for as many moves. tests/core/exhaustive makes all of them. */
  async #bySearch(mutant: Mutant): Promise<Verdict> {
    const by = { before: mutant.before ?? [] };
    const { found, steps, commands = 0, lost = null } = await this.#try([mutant], by);
    const isFound = found !== null && (await this.#isRight({ ...by, commands, most: steps }));
    return { seed: null, found: isFound ? `the search, after ${steps} moves: ${brief(found)}` : null, lost };
  }

  async #by(mutant: Mutant, by: Trial["by"], who: string, what: string): Promise<Verdict> {
    const { found, steps, lost = null } = await this.#try([mutant], by);
    const isFound = found !== null && (await this.#isRight(by));
    return { seed: null, found: isFound ? `${who}, after ${steps} ${what}: ${brief(found)}` : null, lost };
  }

  /** A finder that complains without a mutant does not count. */
  async #isRight(by: Trial["by"]): Promise<boolean> {
    const { found, lost } = await this.#rightBy(by);
    return found === null && lost === undefined;
  }

  #rightBy(by: Trial["by"]): Promise<Answer> {
    const key = JSON.stringify(by);
    const known = this.#right.get(key);
    if (known !== undefined) return known;
    const asked = this.#try([], by);
    this.#right.set(key, asked);
    return asked;
  }

  #try(mutants: readonly Mutant[], by: Trial["by"]): Promise<Answer> {
    return this.#trials.try({ mutants: mutants.map(numberOf), by });
  }
}

function brief(found: string): string {
  const line = found.split("\n")[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
