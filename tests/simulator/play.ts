// Plays a story to its end, whether drawn or read, and returns the result.

import { Breach } from "./breach.js";
import type { OutputCounts } from "./forks/output-counts.js";
import { drawLines } from "./draw.js";
import { Simulation, type SimulationOptions } from "./simulation.js";
import type { Story } from "./story.js";

export interface Played {
  /** The lines that were played before the limit of steps. */
  story: Story;
  /** Steps of cores before the story's end. The steps of coming to rest are not counted. */
  steps: number;
  crashes: number;
  /** Cuts after each kind of output: see forks/forks.ts. */
  cuts: OutputCounts;
  /** Hash of all outputs, in hex. */
  hash: string;
  breach: Breach | null;
}

/** Plays as many lines of the seed's story as are needed for this many steps. */
export function playSeed(seed: number, steps: number, options: SimulationOptions = {}): Promise<Played> {
  return play(seed, drawLines(seed), steps, options);
}

/** Plays the seed's first lines. */
export function playLines(seed: number, count: number, options: SimulationOptions = {}): Promise<Played> {
  const drawn = drawLines(seed);
  return playStory({ seed, lines: Array.from({ length: count }, () => drawn.next().value as string) }, options);
}

export function playStory({ seed, lines }: Story, options: SimulationOptions = {}): Promise<Played> {
  return play(seed, lines, Infinity, options);
}

async function play(seed: number, lines: Iterable<string>, most: number, options: SimulationOptions): Promise<Played> {
  const simulation = new Simulation(seed, options);
  const played: string[] = [];
  let [steps, breach]: [number, Breach | null] = [0, null];
  try {
    await simulation.begin();
    for (const line of lines) {
      if (simulation.steps >= most) break;
      played.push(line);
      await simulation.do(line);
    }
    steps = simulation.steps;
    await simulation.end();
  } catch (error) {
    breach = error instanceof Breach ? error : new Breach("simulator", String((error as Error).stack));
  }
  steps = Math.max(steps, Math.min(simulation.steps, most));
  const { hash, crashes, cuts } = simulation;
  await simulation.close();
  return { story: { seed, lines: played }, steps, crashes, cuts, hash, breach };
}
