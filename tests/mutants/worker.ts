// Tries mutants one after the other, on request (trials.ts).

import { readFile } from "node:fs/promises";
import { Broken, Enough, Search } from "../core/exhaustive/search.js";
import { play } from "../core/scenario/scenario.js";
import { prepareFuzz } from "../simulator/clients/fuzzed.js";
import { playLines, playSeed, playStory as playOut } from "../simulator/play.js";
import { readStory } from "../simulator/story.js";
import { enforce } from "./mutating-hosts.js";
import { isOfHosts, type Mutant } from "./mutant.js";
import { MUTANTS } from "./mutants.js";
import { Asked, MutatedCore } from "./mutated-core.js";
import type { Answer, SearchTrial, SeedTrial, Trial } from "./trials.js";

const MOST_COMMANDS = 3;
/** Of each story: twice as many take twice as long, and find only a few mutants more. */
const STEPS = 200;

const core = await MutatedCore.load(process.argv[2] ?? "");
await prepareFuzz(new URL("../../tests/swagger/swagger.tar.br", import.meta.url));
process.on("message", (trial: Trial) => {
  void tried(trial).then((answer) => process.send?.(answer));
});
process.send?.("ready");

async function tried({ mutants, by }: Trial): Promise<Answer> {
  const isOfCore = (mutant: number): boolean => !isOfHosts(MUTANTS[mutant - 1] as Mutant);
  const asked: number[] = [];
  enforce(mutants, asked);
  const inCore = mutants.filter(isOfCore);
  if ("before" in by) return search(inCore, by);
  if ("seed" in by) return simulate(inCore, by, asked);
  return "played" in by ? playSimulated(inCore, by) : playStory(inCore, by.story);
}

function search(mutants: readonly number[], { before, commands: only, most }: SearchTrial): Answer {
  for (let commands = only ?? 1; commands <= (only ?? MOST_COMMANDS); commands++) {
    const search = new Search(core.with(mutants), most);
    try {
      search.run(commands, before);
    } catch (error) {
      if (error instanceof Enough) continue;
      if (!(error instanceof Broken)) throw error;
      return { found: `${error.message.split("\n")[0]}`, steps: search.found.moves, commands };
    }
  }
  return { found: null, steps: 0 };
}

/**
 * Without the copies of the engine that are cut off after each output: they would add half of the time, and most mutants
 * are found without them. `asked`: counts for mutants of hosts.
 */
async function simulate(mutants: readonly number[], { seed, lines }: SeedTrial, asked: number[]): Promise<Answer> {
  const inCore = new Asked();
  const options = { core: core.compiledWith(mutants, inCore), copies: false };
  const played = await (lines === undefined ? playSeed(seed, STEPS, options) : playLines(seed, lines, options));
  const { breach, steps, story, hash } = played;
  const found = breach === null ? null : `${breach.rule}: ${breach.message}`;
  const counts = inCore.counts().map((count, number) => asked[number] ?? count);
  return { found, steps, lines: story.lines.length, hash, asked: counts };
}

/** The rules that need copies of the engine (`copies` of simulation.ts). */
const OF_COPIES: readonly string[] = ["forks", "twins"];

/** A story of the simulator, which must find it by a rule. tests/simulator/stories.test.ts checks all other rules. */
async function playSimulated(
  mutants: readonly number[],
  { played, rule }: { played: string; rule: string },
): Promise<Answer> {
  const text = await readFile(new URL(`../../tests/simulator/stories/${played}.txt`, import.meta.url), "utf8");
  const options = { core: core.compiledWith(mutants), copies: OF_COPIES.includes(rule) };
  const { breach, steps } = await playOut(readStory(text), options);
  return { found: breach !== null && breach.rule === rule ? `${rule}: ${breach.message}` : null, steps };
}

/** Found if the result differs, or if the scenario cannot be played to its end. */
async function playStory(mutants: readonly number[], name: string): Promise<Answer> {
  const text = await readFile(new URL(`../../tests/core/scenarios/${name}.txt`, import.meta.url), "utf8");
  const lines = text.split("\n");
  try {
    const played = play(text, core.compiledWith(mutants)).split("\n");
    const at = played.findIndex((line, at) => line !== lines[at]);
    return { found: at < 0 ? null : `line ${at + 1}: ${played[at]}`, steps: lines.length };
  } catch (error) {
    return { found: String(error), steps: lines.length };
  }
}
