// Stories that the simulator has found to fail, as short as it could make them: each shows a bug that is mended. And some
// written by hand, for what it comes to hardly ever.

import { readFileSync, readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { prepareFuzz } from "./clients/fuzzed.js";
import { outputKinds } from "./forks/kinds.js";
import { SCARCE } from "./forks/scarce.js";
import { playStory } from "./play.js";
import { readStory } from "./story.js";

const STORIES = new URL("stories/", import.meta.url);

beforeAll(() => prepareFuzz(new URL("../swagger/swagger.tar.br", import.meta.url)));

test.each(readdirSync(STORIES))("%s holds", { timeout: 300_000 }, async (name) => {
  const { breach, cuts } = await playStory(readStory(readFileSync(new URL(name, STORIES), "utf8")));
  expect(breach === null ? "holds" : `${breach.rule}: ${breach.message}`).toBe("holds");
  expect(scarceOf(name).filter((kind) => !(kind in cuts))).toEqual([]);
});

/** Kinds of outputs behind which the engine is cut off in this story, if in no other. */
function scarceOf(name: string): string[] {
  return Object.keys(SCARCE).filter((kind) => SCARCE[kind] === name);
}

test("what is scarce is a kind of output, and its story is there", async () => {
  const kinds = await outputKinds();
  expect(Object.keys(SCARCE).filter((kind) => !kinds.includes(kind))).toEqual([]);
  const stories = readdirSync(STORIES);
  expect(Object.values(SCARCE).filter((story) => !stories.includes(story))).toEqual([]);
});
