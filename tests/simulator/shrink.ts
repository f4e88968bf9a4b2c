// Finds the shortest story that still breaks the same rule. It removes many lines at a time while that works, and then
// one by one (delta debugging). The world's mischief is drawn from the seed again each time.

import { playStory, type Played } from "./play.js";
import type { Story } from "./story.js";

/** The search ends after this time. */
const LONGEST_MS = 120_000;

/** `played` failed. Returns the shortest failing story that was found, and its failure. */
export async function shortest(played: Played, play: (story: Story) => Promise<Played> = playStory): Promise<Played> {
  const until = performance.now() + LONGEST_MS;
  let best = played;
  for (let size = Math.ceil(best.story.lines.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    // Starts from the end, since later lines depend on earlier ones, and not the other way round.
    for (let end = best.story.lines.length; end > 0 && performance.now() < until; end -= size) {
      const shorter = await stillFails(without(best.story, Math.max(0, end - size), end), played, play);
      if (shorter !== null) best = shorter;
    }
  }
  return best;
}

function without({ seed, lines }: Story, from: number, to: number): Story {
  return { seed, lines: [...lines.slice(0, from), ...lines.slice(to)] };
}

async function stillFails(
  story: Story,
  first: Played,
  play: (story: Story) => Promise<Played>,
): Promise<Played | null> {
  const played = await play(story);
  return played.breach?.rule === first.breach?.rule ? played : null;
}
