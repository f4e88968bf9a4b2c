// Plays stories that the simulator once found to fail, shortened: each shows a fixed bug. Some more are written by
// hand, for cases that the simulator rarely reaches.

import { readFileSync, readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { prepareFuzz } from "./clients/fuzzed.js";
import { outputKinds } from "./forks/kinds.js";
import { SCARCE } from "./forks/scarce.js";
import { playStory } from "./play.js";
import { readStory } from "./story.js";
import { readBoundary } from "./visits/boundary.js";
import { strangers } from "./visits/gate.js";
import { SHOWN } from "./visits/shown.js";
import { Visits } from "./visits/visits.js";

const STORIES = new URL("stories/", import.meta.url);
const boundary = readBoundary(new URL("../../core/wit/", import.meta.url));

beforeAll(() => prepareFuzz(new URL("../swagger/swagger.tar.br", import.meta.url)));

test.each(readdirSync(STORIES))("%s holds", { timeout: 300_000 }, async (name) => {
  const visits = new Visits(boundary);
  const { breach, cuts } = await playStory(readStory(readFileSync(new URL(name, STORIES), "utf8")), { visits });
  expect(breach === null ? "holds" : `${breach.rule}: ${breach.message}`).toBe("holds");
  // The kinds of outputs and the cases of the boundary that this story must reach, since other stories rarely do.
  expect(shownBy(SCARCE, name).filter((kind) => !(kind in cuts))).toEqual([]);
  expect(shownBy(SHOWN, name).filter((entry) => !(entry in visits.visited.entries))).toEqual([]);
});

function shownBy(stories: Readonly<Record<string, string>>, name: string): string[] {
  return Object.keys(stories).filter((what) => stories[what] === name);
}

test("each entry of the lists of shown and unvisited cases is a case of the boundary, and its story exists", () => {
  expect(strangers(boundary.entries)).toEqual([]);
  const stories = readdirSync(STORIES);
  expect(Object.values(SHOWN).filter((story) => !stories.includes(story))).toEqual([]);
});

test("each scarce kind is a kind of output, and its story exists", () => {
  const kinds = outputKinds();
  expect(Object.keys(SCARCE).filter((kind) => !kinds.includes(kind))).toEqual([]);
  const stories = readdirSync(STORIES);
  expect(Object.values(SCARCE).filter((story) => !stories.includes(story))).toEqual([]);
});
