// Checks the tests themselves: each of these mutants must be caught by the test that is named for it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeMutants } from "./mutants/build.js";
import type { Finder, Mutant } from "./mutants/mutant.js";
import { MUTANTS, numberOf } from "./mutants/mutants.js";
import { readSeeds } from "./mutants/seeds.js";
import { Trials } from "./mutants/trials.js";
import { triedByTests } from "./mutants/unit-tests.js";
import { Judge, type Verdict } from "./mutants/verdict.js";
import { prepareFuzz } from "./simulator/clients/fuzzed.js";
import { playLines } from "./simulator/play.js";

const LONGEST_MS = 600_000;

let trials: Trials;
let judge: Judge;

beforeAll(async () => {
  trials = new Trials(await makeMutants(), 1);
  judge = new Judge(trials, await readSeeds());
}, 300_000);

afterAll(() => trials.close());

describe("found by the search through small scopes", () => {
  test.each(foundBy((finder) => finder === "search"))("$name", { timeout: LONGEST_MS }, tried);
});

describe("found by the simulator", () => {
  test.each(foundBy((finder) => finder === "simulator"))("$name", { timeout: LONGEST_MS }, async (mutant) => {
    const { found, lost } = await judge.byKnownSeed(mutant);
    // A search for another seed would take minutes of each run, and nobody would notice.
    expect(lost, mutant.name).toBeNull();
    console.log(`found by ${found}`);
  });
});

describe("found by a story", () => {
  test.each(foundBy((finder) => typeof finder === "object" && !("test" in finder)))("$name", tried);
});

describe("found by tests", () => {
  const mutants = foundBy((finder) => typeof finder === "object" && "test" in finder);
  let tried = new Map<Mutant, Verdict>();
  beforeAll(async () => void (tried = await triedByTests(mutants)), LONGEST_MS);

  test.for(mutants)("$name", (mutant, { skip }) => {
    const verdict = tried.get(mutant);
    // Tests that need root skip themselves without it.
    if (process.getuid?.() !== 0 && verdict?.lost?.startsWith("no test")) return skip("what finds it needs root");
    expect(verdict).toMatchObject({ found: expect.any(String), lost: null });
  });
});

/** Its story removes images that builds need: a mutant that was always active there has been found with it. */
const CHECKED = { seed: 9, lines: 100 };

test("without an active mutant, core and hosts do as those without mutants", { timeout: LONGEST_MS }, async () => {
  await prepareFuzz(new URL("swagger/swagger.tar.br", import.meta.url));
  const { found, hash } = await trials.try({ mutants: [], by: CHECKED });
  expect(found).toBeNull();
  const played = await playLines(CHECKED.seed, CHECKED.lines, { copies: false });
  expect(hash).toBe(played.hash);
});

test("each has a name of its own", () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

function foundBy(isOne: (finder: Finder) => boolean): Mutant[] {
  return MUTANTS.filter(({ finder }) => isOne(finder));
}

async function tried(mutant: Mutant): Promise<void> {
  const { found, lost } = await judge.byFinder(mutant);
  expect(lost, "nobody could look").toBeNull();
  expect(found, `mutant ${numberOf(mutant)} survives`).not.toBeNull();
  console.log(`found by ${found}`);
}
