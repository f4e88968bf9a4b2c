// `npm run simulate -- --mutants`, see USAGE: tries mutants, reports what finds each of them, and prints a summary.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { makeMutants } from "./build.js";
import { Hunt } from "./hunt.js";
import { isOfHosts, type Mutant } from "./mutant.js";
import { MUTANTS } from "./mutants.js";
import { MOST_SEEDS, readSeeds, writeSeeds } from "./seeds.js";
import { Trials } from "./trials.js";
import { triedByTests } from "./unit-tests.js";
import { Judge, NOBODY, type Verdict } from "./verdict.js";

const USAGE = `Usage: npm run simulate -- --mutants [flags]

  --jobs N     the number of trials at a time (default: one per CPU)
  --only TEXT  tries only mutants with this text in their name or file
  --write      only looks for seeds that find the mutants, and records one for each: the known seed, or one of the
               seeds 1 to ${MOST_SEEDS}
  --seeds N    looks only among the seeds 1 to N`;

const { values } = parseArgs({
  options: {
    mutants: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
    seeds: { type: "string", default: String(MOST_SEEDS) },
  },
});
const [jobs, lastSeed] = [Number(values.jobs), Number(values.seeds)];
if (values.help || ![jobs, lastSeed].every((number) => Number.isSafeInteger(number) && number > 0)) {
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
if (values.write) await hunted();
else await Promise.all(chosen.map(judged));
const tested = await triedByTests(byTests);
for (const mutant of byTests) tell(mutant, tested.get(mutant) ?? NOBODY);
trials.close();
for (const one of stale) console.log(`STALE ${one}`);
console.log(summary());
const isWanting = survivors.some(({ finder }) => !values.write || finder === "simulator");
process.exitCode = isWanting || stale.length > 0 ? 1 : 0;

/** Tries the simulator if it may find the mutant, otherwise the mutant's named finder. */
async function judged(mutant: Mutant): Promise<void> {
  const { name, finder } = mutant;
  const isSimulated = finder === "simulator" || typeof seeds[name] === "number";
  const verdict = isSimulated ? await judge.byKnownSeed(mutant) : NOBODY;
  if (isSimulated && verdict.found === null) stale.push(`${name}: ${verdict.lost}`);
  if (verdict.found !== null) bySeed += 1;
  if (verdict.found !== null || finder === "simulator") return tell(mutant, verdict);
  if (typeof finder === "object" && "test" in finder) return void byTests.push(mutant);
  tell(mutant, await judge.byFinder(mutant));
}

/** Looks for seeds of all chosen mutants, first among the known ones. */
async function hunted(): Promise<void> {
  const isKnown = await Promise.all(chosen.map(knows));
  const hunt = new Hunt(
    judge,
    chosen.filter((_, at) => !isKnown[at]),
    keep,
  );
  let seed = 0;
  const next = async (): Promise<void> => {
    while (seed < lastSeed) await hunt.by(++seed);
  };
  await Promise.all(Array.from({ length: jobs }, next));
  for (const mutant of hunt.left) keep(mutant, NOBODY);
}

/** Whether the known seed still finds it. */
async function knows(mutant: Mutant): Promise<boolean> {
  const verdict = await judge.byKnownSeed(mutant);
  if (verdict.found !== null) keep(mutant, verdict);
  return verdict.found !== null;
}

function keep(mutant: Mutant, verdict: Verdict): void {
  if (verdict.found !== null) bySeed += 1;
  tell(mutant, verdict);
  seeds[mutant.name] = verdict.seed;
  writeSeeds(seeds, MUTANTS);
}

function tell(mutant: Mutant, { found, lost }: Verdict): void {
  if (found === null) survivors.push(mutant);
  const why = lost === null ? "" : `: the trial failed, because ${lost}`;
  const survives = values.write ? "no seed finds it" : "SURVIVES";
  console.log(`${mutant.name} (${mutant.file})\n  ${found === null ? `${survives}${why}` : `found by ${found}`}`);
}

function summary(): string {
  const hosts = chosen.filter(isOfHosts).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  const found = chosen.length - survivors.length;
  const sum = `${chosen.length} mutants, ${chosen.length - hosts} of the core and ${hosts} of hosts: ${found} found`;
  return `${sum}, ${bySeed} of them by the simulator (${expected} before), in ${seconds} s`;
}
