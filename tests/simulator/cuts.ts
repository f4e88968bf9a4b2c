// A story's beginning, played as often as a line of it has outputs: each time the engine is killed after another one.

import { drawLines } from "./draw.js";
import { type Played, playStory } from "./play.js";
import { Draw } from "./random.js";
import type { SimulationOptions } from "./simulation.js";
import type { Story } from "./story.js";

/** Lines before the cut and after it: who asks and works on must come to rest as well. */
const BEFORE = 30;
const AFTER = 6;
/** Most of what a line sets off is over by then. */
const OUTPUTS = 12;

/** The first of them that fails, or the last one. */
export async function playCuts(seed: number, options: SimulationOptions = {}): Promise<Played> {
  let played: Played | null = null;
  for (const story of cutsOf(seed)) {
    played = await playStory(story, options);
    if (played.breach !== null) break;
  }
  return played as Played;
}

/** The same story with the cut after the first output of a line, after the second… */
export function cutsOf(seed: number): Story[] {
  const draw = new Draw(seed, "cuts");
  const lines: string[] = [];
  for (const line of drawLines(seed)) {
    // What else goes wrong would hide what comes of the cut.
    if (!/^(crash|restart|trick|refuse|fault|rest|hold|snatch|reload|suspend|reboot|read|power-loss|damage)/.test(line))
      lines.push(line);
    if (lines.length === BEFORE + AFTER) break;
  }
  const at = 5 + draw.below(BEFORE - 5);
  return Array.from({ length: OUTPUTS }, (_, output) => {
    return { seed, lines: [...lines.slice(0, at), `crash ${output + 1} 0 0`, ...lines.slice(at, at + AFTER)] };
  });
}
