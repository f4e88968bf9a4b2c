// `npm run simulate` (see USAGE) plays the stories of many seeds in parallel. For a failure it prints the seed, the
// commit, and the shortest story that still fails. `--exhaustive` tries all commands instead (tests/core/exhaustive).

import { fork } from "node:child_process";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, type ParseArgsConfig } from "node:util";
import { agree, published } from "../core/exhaustive/published.js";
import { Search } from "../core/exhaustive/search.js";
import { prepareFuzz } from "./clients/fuzzed.js";
import { playCuts } from "./cuts.js";
import { playSeed, playStory, type Played } from "./play.js";
import { shortest } from "./shrink.js";
import type { SimulationOptions } from "./simulation.js";
import { readStory, storyText } from "./story.js";
import { Tally, cutsText, type SeedResult } from "./tally.js";
import { readBoundary } from "./visits/boundary.js";
import { tableText } from "./visits/table.js";
import { Visits } from "./visits/visits.js";
import { WRONGS, wronged } from "./wrongs.js";

const PAGE = new URL("../../tests/README.md", import.meta.url);
const WIT = new URL("../../core/wit/", import.meta.url);
const SWAGGER = new URL("../../tests/swagger/swagger.tar.br", import.meta.url);

/** For every hundredth seed, the start is also played with a crash after each output of a line. */
const CUTS_EACH = 100;

const USAGE = `Usage: npm run simulate -- [flags]

  --seed N          the first seed (default 1)
  --seeds N         the number of seeds (default 1)
  --minutes M       as many seeds as possible in this time
  --steps N         the number of steps per seed (default 500)
  --jobs N          the number of seeds at a time (default: one per CPU)
  --long            prints a failing story in full, without searching for a shorter one
  --verbose         prints a line for each seed
  --story FILE      plays this story instead of seeds
  --exhaustive N    searches all states that N commands on two containers can lead to
  --wrong RULE      plays with a planted error (tests/simulator/wrongs.ts)
  --mutants         plays all mutants: see \`--mutants --help\` (tests/mutants)`;

const values = parsed({
  options: {
    help: { type: "boolean", short: "h", default: false },
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "500" },
    jobs: { type: "string", default: String(availableParallelism()) },
    minutes: { type: "string" },
    story: { type: "string" },
    // Prints failing stories in full, since the search for a shorter one takes time.
    long: { type: "boolean", default: false },
    exhaustive: { type: "string" },
    verbose: { type: "boolean", default: false },
    wrong: { type: "string" },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}

if (values.exhaustive !== undefined) {
  const commands = numberOf("exhaustive");
  const { states, moves, cuts, rests } = new Search().run(commands);
  console.log(`${states} states, ${moves} moves, ${cuts} crashes, ${rests} states at rest: all hold`);
  const said = published(PAGE, commands);
  if (said !== null) {
    const same = agree(commands, { states, moves, cuts }, said) ? "about the same" : "something else";
    console.log(`tests/README.md says ${same}: ${said.states} states, ${said.moves} moves, ${said.cuts} crashes`);
  }
  process.exit();
}

const boundary = readBoundary(WIT);
const steps = numberOf("steps");
const first = numberOf("seed", 0);
const count = values.minutes === undefined ? numberOf("seeds") : Infinity;
const minutes = Number(values.minutes ?? Infinity);
if (!(minutes > 0)) refused(`--minutes ${values.minutes}: expected a number above 0`);
const jobs = process.send === undefined ? Math.min(numberOf("jobs"), count) : 1;
// A process that only starts workers has nothing to prepare.
if (jobs <= 1 || values.story !== undefined) await prepareFuzz(SWAGGER);
if (process.send !== undefined) work();
else if (values.story !== undefined) await replay(values.story);
else await simulate();

function parsed<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>>["values"] {
  try {
    return parseArgs(config).values;
  } catch (error) {
    return refused((error as Error).message);
  }
}

/** Refuses anything but a number: it would play no seed, and then report that none has failed. */
function numberOf(flag: "seed" | "seeds" | "steps" | "jobs" | "exhaustive", least = 1): number {
  const number = Number(values[flag]);
  if (Number.isSafeInteger(number) && number >= least) return number;
  return refused(`--${flag} ${values[flag]}: expected a whole number of at least ${least}`);
}

function refused(why: string): never {
  console.error(`${why}\n\n${USAGE}`);
  process.exit(1);
}

/** Runs as a worker, which plays the seeds that it gets. */
function work(): void {
  process.on("message", (seed: number) => {
    void resultOf(seed).then((result) => process.send?.(result));
  });
  process.send?.(null);
}

async function replay(file: string): Promise<void> {
  const visits = new Visits(boundary);
  const played = await playStory(readStory(readFileSync(file, "utf8")), { visits });
  console.log(
    played.breach === null ? `holds; ${played.steps} steps` : `${played.breach.rule}: ${played.breach.message}`,
  );
  console.log(tableText(boundary.entries, visits.visited));
  console.log(cutsText(played.cuts));
  process.exitCode = played.breach === null ? 0 : 1;
}

async function simulate(): Promise<void> {
  const until = performance.now() + minutes * 60_000;
  const tally = new Tally(boundary.entries);
  let next = first;
  const more = (): number | null => (next < first + count && performance.now() < until ? next++ : null);
  const tell = (result: SeedResult): void => {
    if (result.failure !== null) console.log(result.failure);
    else if (values.verbose)
      console.log(`seed ${result.seed}: ${result.steps} steps, hash ${result.hash.slice(0, 16)}`);
    tally.add(result);
  };
  if (jobs <= 1) for (let seed = more(); seed !== null; seed = more()) tell(await resultOf(seed));
  else await Promise.all(Array.from({ length: jobs }, () => sideBySide(more, tell)));
  console.log(tally.text());
  process.exitCode = tally.failed > 0 ? 1 : 0;
}

function sideBySide(more: () => number | null, tell: (result: SeedResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // With V8's settings of this process.
    const worker = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
    worker.on("message", (result: SeedResult | null) => {
      if (result !== null) tell(result);
      const seed = more();
      if (seed === null) worker.disconnect();
      else worker.send(seed);
    });
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

async function resultOf(seed: number): Promise<SeedResult> {
  const visits = new Visits(boundary);
  let played = await playSeed(seed, steps, { ...options(), visits });
  if (played.breach === null && seed % CUTS_EACH === 0) {
    const cut = await playCuts(seed);
    if (cut.breach !== null) played = cut;
  }
  const { hash, crashes, cuts } = played;
  const short =
    played.breach === null || values.long ? played : await shortest(played, (story) => playStory(story, options()));
  return {
    seed,
    steps: played.steps,
    crashes,
    cuts,
    visited: visits.visited,
    hash,
    failure: played.breach === null ? null : told(short, played),
  };
}

/** The package's core, or one with a planted error that the simulator should find. */
function options(): SimulationOptions {
  if (values.wrong === undefined) return {};
  const wrong = WRONGS.find(({ says }) => says === values.wrong);
  if (wrong === undefined) return refused(`no such wrong: ${values.wrong}`);
  return wronged(wrong);
}

/** The failure for people. It ends with the text of a story, for a file in tests/simulator/stories. */
function told({ story, breach }: Played, first: Played): string {
  const { rule, message } = breach ?? { rule: "", message: "" };
  const head = `seed ${story.seed} of commit ${commit()} breaks "${rule}": ${message}`;
  const length = `${first.story.lines.length} lines, of which ${story.lines.length} are enough:`;
  return `${head}\n${length}\n${storyText(story)}`;
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
