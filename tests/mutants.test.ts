// A search that finds nothing is not believed: each of these mutants must be found.

import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { CompiledComponent } from "../hosts/component.js";
import type { CompiledCore } from "../hosts/instance.js";
import { Broken, Search } from "./core/exhaustive/search.js";
import { play } from "./core/scenario.js";
import { MutatedCore } from "./mutants/build.js";
import { MUTANTS, type Mutant } from "./mutants/mutants.js";
import { prepareFuzz } from "./simulator/clients/fuzzed.js";
import { playSeed, playStory } from "./simulator/play.js";
import { readStory } from "./simulator/story.js";

let core: MutatedCore;

beforeAll(async () => {
  core = await MutatedCore.build(MUTANTS);
  await prepareFuzz(new URL("./swagger/swagger.tar.br", import.meta.url));
}, 300_000);

describe("found by the search through small scopes", () => {
  test("nothing, where nothing is wrong", () => {
    expect(new Search(core.with(0)).run(2).states).toBeGreaterThan(0);
  });

  test.each(MUTANTS.filter(({ finder }) => finder === "search"))("$name", (mutant) => {
    const { commands, moves, found } = search(mutant);
    console.log(`found after ${moves} moves, with ${commands} commands: ${found.split("\n")[0]}`);
  });
});

const MOST_COMMANDS = 3;

function search(mutant: Mutant): { commands: number; moves: number; found: string } {
  for (let commands = 1; commands <= MOST_COMMANDS; commands++) {
    const search = new Search(core.with(numberOf(mutant.name)));
    try {
      search.run(commands, mutant.before);
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return { commands, moves: search.found.moves, found: error.message };
    }
  }
  throw new Error("it survives");
}

describe("found by the simulator", () => {
  for (const mutant of MUTANTS) {
    const { name, finder } = mutant;
    if (finder === "search" || !("seed" in finder)) continue;
    test(name, { timeout: 10 * 60_000 }, async () => console.log(await simulate(mutant, finder.seed)));
  }
});

describe("found by a story", () => {
  for (const { name, finder } of MUTANTS) {
    if (finder === "search" || !("story" in finder)) continue;
    test(name, async () => {
      const text = await readFile(new URL(`./core/scenarios/${finder.story}.txt`, import.meta.url), "utf8");
      expect(play(text, compiledWith(0)), "without it").toBe(text);
      expect(played(text, compiledWith(numberOf(name)))).not.toBe(text);
    });
  }
});

describe("found by a story of the simulator", () => {
  for (const { name, finder } of MUTANTS) {
    if (finder === "search" || !("played" in finder)) continue;
    test(name, async () => {
      const text = await readFile(new URL(`./simulator/stories/${finder.played}.txt`, import.meta.url), "utf8");
      const story = readStory(text);
      expect((await playStory(story, { core: compiledWith(0) })).breach, "without it").toBeNull();
      const { breach } = await playStory(story, { core: compiledWith(numberOf(name)) });
      expect(breach?.rule, breach?.message ?? "it survives").toBe(finder.rule);
      console.log(`found: ${breach?.message.slice(0, 200)}`);
    });
  }
});

/** Or why it could not be played to its end. */
function played(text: string, core: CompiledCore): string {
  try {
    return play(text, core);
  } catch (error) {
    return String(error);
  }
}

const MOST_SEEDS = 60;
const STEPS = 500;

/** By the seed that is known to find it; where it does not any more, by any. */
async function simulate(mutant: Mutant, known: number): Promise<string> {
  let all = 0;
  for (const seed of new Set([known, ...Array.from({ length: MOST_SEEDS }, (_, at) => at + 1)])) {
    const { breach, steps } = await playSeed(seed, STEPS, { core: compiledWith(numberOf(mutant.name)) });
    all += steps;
    if (breach === null) continue;
    const right = await playSeed(seed, STEPS, { core: compiledWith(0) });
    expect(right.breach, "without it the seed fails, too").toBeNull();
    const moved = seed === known ? "" : ` (no longer by ${known}: tests/mutants/mutants.ts wants this one)`;
    return `found by seed ${seed}${moved}, after ${all} steps: ${breach.rule}: ${breach.message.slice(0, 200)}`;
  }
  throw new Error(`it survives ${MOST_SEEDS} seeds of ${STEPS} steps`);
}

function numberOf(name: string): number {
  return MUTANTS.findIndex((mutant) => mutant.name === name) + 1;
}

/** 0: with none. */
function compiledWith(mutant: number): CompiledCore {
  const { modules, instantiate } = core.with(mutant);
  return new CompiledComponent(modules, instantiate);
}
