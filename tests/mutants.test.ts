// A search that finds nothing is not believed: each of these mutants must be found.

import { beforeAll, describe, expect, test } from "vitest";
import { CompiledComponent } from "../hosts/component.js";
import type { CompiledCore } from "../hosts/instance.js";
import { Broken, Search } from "./core/exhaustive/search.js";
import { MutatedCore } from "./mutants/build.js";
import { MUTANTS, type Mutant } from "./mutants/mutants.js";
import { prepareFuzz } from "./simulator/clients/fuzzed.js";
import { playSeed } from "./simulator/play.js";

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
    const search = new Search(core.with(MUTANTS.indexOf(mutant) + 1));
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
  test.each(MUTANTS.filter(({ finder }) => finder === "simulator"))(
    "$name",
    { timeout: 10 * 60_000 },
    async (mutant) => {
      console.log(await simulate(mutant));
    },
  );
});

const MOST_SEEDS = 60;
const STEPS = 500;

async function simulate(mutant: Mutant): Promise<string> {
  const compiled = compiledWith(MUTANTS.indexOf(mutant) + 1);
  let all = 0;
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const { breach, steps } = await playSeed(seed, STEPS, { core: compiled });
    all += steps;
    if (breach === null) continue;
    expect(
      (await playSeed(seed, STEPS, { core: compiledWith(0) })).breach,
      "without it the seed fails, too",
    ).toBeNull();
    return `found by seed ${seed}, after ${all} steps: ${breach.rule}: ${breach.message.slice(0, 200)}`;
  }
  throw new Error(`it survives ${MOST_SEEDS} seeds of ${STEPS} steps`);
}

/** 0: with none. */
function compiledWith(mutant: number): CompiledCore {
  const { modules, instantiate } = core.with(mutant);
  return new CompiledComponent(modules, instantiate);
}
