// Stories that the simulator has found to fail, as short as it could make them: each shows a bug that is mended.

import { readFileSync, readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { prepareFuzz } from "./clients/fuzzed.js";
import { playStory } from "./play.js";
import { readStory } from "./story.js";

const STORIES = new URL("stories/", import.meta.url);

beforeAll(() => prepareFuzz(new URL("../swagger/swagger.tar.br", import.meta.url)));

test.each(readdirSync(STORIES))("%s holds", { timeout: 300_000 }, async (name) => {
  const { breach } = await playStory(readStory(readFileSync(new URL(name, STORIES), "utf8")));
  expect(breach === null ? "holds" : `${breach.rule}: ${breach.message}`).toBe("holds");
});
