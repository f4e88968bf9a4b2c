// Plays the start of a story several times, and kills the engine after another output of one line each time.

import { drawLines } from "./draw.js";
import { type Played, playStory } from "./play.js";
import { Draw } from "./random.js";
import type { SimulationOptions } from "./simulation.js";
import type { Story } from "./story.js";

/** Lines before and after the cut. The later requests and work must come to rest as well. */
const BEFORE = 30;
const AFTER = 6;
/** Most lines have fewer outputs. */
const OUTPUTS = 12;

/** The result of the first story that fails, or of the last story. */
export async function playCuts(seed: number, options: SimulationOptions = {}): Promise<Played> {
  let played: Played | null = null;
  for (const story of cutsOf(seed)) {
    played = await playStory(story, options);
    if (played.breach !== null) break;
  }
  return played as Played;
}

/** The same story with the cut after the first output of a line, after the second, and so on. */
export function cutsOf(seed: number): Story[] {
  const draw = new Draw(seed, "cuts");
  const lines: string[] = [];
  for (const line of drawLines(seed)) {
    // Other faults would hide the effects of the cut.
    if (!/^(crash|restart|trick|refuse|fault|rest|hold|snatch|reload|suspend|reboot|read|power-loss|damage)/.test(line))
      lines.push(line);
    if (lines.length === BEFORE + AFTER) break;
  }
  const at = 5 + draw.below(BEFORE - 5);
  return Array.from({ length: OUTPUTS }, (_, output) => {
    return { seed, lines: [...lines.slice(0, at), `crash ${output + 1} 0 0`, ...lines.slice(at, at + AFTER)] };
  });
}
