// `npm run simulate -- --mutants`, see USAGE: tries mutants, reports what finds each of them, and prints a summary.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { makeMutants } from "./build.js";
import { isOfHosts, type Mutant } from "./mutant.js";
import { MUTANTS } from "./mutants.js";
import { MOST_SEEDS, readSeeds, writeSeeds } from "./seeds.js";
import { Trials } from "./trials.js";
import { triedByTests } from "./unit-tests.js";
import { Judge, NOBODY, type Verdict } from "./verdict.js";

const USAGE = `Usage: npm run simulate -- --mutants [flags]

  --jobs N     the number of trials at a time (default: one per CPU)
  --only TEXT  tries only mutants with this text in their name or file
  --write      tries seeds 1 to ${MOST_SEEDS} with all mutants, and records the first seed that finds each
  --tries N    tries at most this many seeds per mutant: those that run its code most often`;

const { values } = parseArgs({
  options: {
    mutants: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
    tries: { type: "string", default: String(MOST_SEEDS) },
  },
});
const [jobs, tries] = [Number(values.jobs), Number(values.tries)];
if (values.help || ![jobs, tries].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

const chosen = MUTANTS.filter(({ name, file }) => name.includes(values.only) || file.includes(values.only));
const seeds = await readSeeds();
const trials = new Trials(await makeMutants(), jobs);
const judge = new Judge(trials, seeds);
const began = performance.now();
const expected = chosen.filter(({ name }) => typeof seeds[name] === "number").length;
const survivors: Mutant[] = [];
/** Mutants whose seeds find them no more. */
const stale: string[] = [];
let bySeed = 0;
const byTests: Mutant[] = [];
await Promise.all(chosen.map(judged));
const tested = await triedByTests(byTests);
for (const mutant of byTests) tell(mutant, tested.get(mutant) ?? NOBODY);
trials.close();
for (const one of stale) console.log(`STALE ${one}`);
console.log(summary());
process.exitCode = survivors.length > 0 || stale.length > 0 ? 1 : 0;

/** Tries the simulator if it may find the mutant, otherwise the mutant's named finder. */
async function judged(mutant: Mutant): Promise<void> {
  const { name, finder } = mutant;
  const isSimulated = values.write || finder === "simulator" || typeof seeds[name] === "number";
  const verdict = isSimulated ? await simulated(mutant) : NOBODY;
  if (verdict.found !== null) bySeed += 1;
  if (verdict.found !== null || finder === "simulator") return tell(mutant, verdict);
  if (typeof finder === "object" && "test" in finder) return void byTests.push(mutant);
  tell(mutant, await judge.byFinder(mutant));
}

/** With `--write` tries many seeds, else the known one. */
async function simulated(mutant: Mutant): Promise<Verdict> {
  if (!values.write) {
    const verdict = await judge.byKnownSeed(mutant);
    if (verdict.found === null) stale.push(`${mutant.name}: ${verdict.lost}`);
    return verdict;
  }
  const verdict = await judge.bySeeds(mutant, tries);
  seeds[mutant.name] = verdict.seed;
  writeSeeds(seeds, MUTANTS);
  return verdict;
}

function tell(mutant: Mutant, { found, lost }: Verdict): void {
  if (found === null) survivors.push(mutant);
  const why = lost === null ? "" : `: the trial failed, because ${lost}`;
  console.log(`${mutant.name} (${mutant.file})\n  ${found === null ? `SURVIVES${why}` : `found by ${found}`}`);
}

function summary(): string {
  const hosts = chosen.filter(isOfHosts).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  const found = chosen.length - survivors.length;
  const sum = `${chosen.length} mutants, ${chosen.length - hosts} of the core and ${hosts} of hosts: ${found} found`;
  return `${sum}, ${bySeed} of them by the simulator (${expected} before), in ${seconds} s`;
}
