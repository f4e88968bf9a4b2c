// `npm run simulate -- --mutants`, see USAGE: tries mutants, tells who finds each of them, and sums it up.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { makeMutants } from "./build.js";
import { isOfHosts, type Mutant } from "./mutant.js";
import { MUTANTS } from "./mutants.js";
import { MOST_SEEDS, readSeeds, writeSeeds } from "./seeds.js";
import { Trials } from "./trials.js";
import { triedByTests } from "./unit-tests.js";
import { Judge, type Verdict } from "./verdict.js";

const USAGE = `Usage: npm run simulate -- --mutants [flags]

  --jobs N     side by side (default: a processor each)
  --only TEXT  those in whose name or file this stands
  --write      tries seeds 1 to ${MOST_SEEDS} with all, whoever else finds them, and writes down which do`;

const { values } = parseArgs({
  options: {
    mutants: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
  },
});
const jobs = Number(values.jobs);
if (values.help || !Number.isSafeInteger(jobs) || jobs < 1) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

const chosen = MUTANTS.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
const seeds = await readSeeds();
const trials = new Trials(await makeMutants(), jobs);
const judge = new Judge(trials, seeds);
const began = performance.now();
const expected = chosen.filter(({ name }) => typeof seeds[name] === "number").length;
const NOBODY: Verdict = { seed: null, found: null };
const survivors: Mutant[] = [];
let simulated = 0;
const byTests: Mutant[] = [];
await Promise.all(chosen.map(judged));
const tested = await triedByTests(byTests);
for (const mutant of byTests) tell(mutant, tested.get(mutant) ?? null);
trials.close();
if (values.write) {
  const names = MUTANTS.map(({ name }) => name);
  await writeSeeds(seeds, names);
}
console.log(summary());
process.exitCode = survivors.length > 0 || (simulated < expected && !values.write) ? 1 : 0;

/** By the simulator, if it may find it; else by whoever is said to. */
async function judged(mutant: Mutant): Promise<void> {
  const { name, finder } = mutant;
  const isSimulated = values.write || finder === "simulator" || typeof seeds[name] === "number";
  const { seed, found } = isSimulated ? await judge.bySeeds(mutant) : NOBODY;
  if (isSimulated) seeds[name] = seed;
  if (found !== null) simulated += 1;
  if (found !== null || finder === "simulator") return tell(mutant, found);
  if (typeof finder === "object" && "test" in finder) return void byTests.push(mutant);
  tell(mutant, await judge.byFinder(mutant));
}

function tell(mutant: Mutant, found: string | null): void {
  if (found === null) survivors.push(mutant);
  console.log(`${mutant.name} (${mutant.file})\n  ${found === null ? "SURVIVES" : `found by ${found}`}`);
}

function summary(): string {
  const hosts = chosen.filter(isOfHosts).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  const found = chosen.length - survivors.length;
  const sum = `${chosen.length} mutants, ${chosen.length - hosts} of the core and ${hosts} of hosts: ${found} found`;
  return `${sum}, ${simulated} of them by the simulator (${expected} before), in ${seconds} s`;
}
