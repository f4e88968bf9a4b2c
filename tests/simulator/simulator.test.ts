// Runs the simulator for some seeds, always the same ones, and in CI for more of them than elsewhere. Longer runs are
// up to `npm run simulate`.

import { expect, test } from "vitest";
import { outputKinds } from "./forks/kinds.js";
import { SCARCE } from "./forks/scarce.js";
import { hashesIn, simulate } from "./simulate.js";
import { readBoundary } from "./visits/boundary.js";
import { complaints } from "./visits/gate.js";
import { readTable } from "./visits/table.js";

/** This many seeds reach each kind of output, except for those that have a story of their own. */
const FOR_EACH_KIND = 100;
const SEEDS = process.env["CI"] === "true" ? FOR_EACH_KIND : 50;
const STEPS = 500;
/** These seeds are played once more, without the others. */
const ALONE = { first: SEEDS - 2, count: 2 };

test(`${SEEDS} seeds of ${STEPS} steps hold`, { timeout: 60 * 60_000, retry: 0 }, async () => {
  const told = await simulate("--seeds", String(SEEDS), "--steps", String(STEPS), "--jobs", "2", "--verbose");
  // The table of visits, and the figures of the run.
  console.log(told.slice(Math.max(0, told.indexOf("visited "))).trim());
  const [, seeds, steps, crashes] = /^(\d+) seeds, (\d+) steps, (\d+) crashes .*; 0 failed$/m.exec(told) ?? [];
  expect(Number(seeds), told).toBe(SEEDS);
  // The count varies a little, since stories end with whole lines.
  expect(Number(steps)).toBeGreaterThan(0.9 * SEEDS * STEPS);
  expect(Number(crashes)).toBeGreaterThan(0);
  expect(await alone()).toEqual(hashesIn(told).each.slice(ALONE.first - 1, ALONE.first - 1 + ALONE.count));
  const cuts = cutsIn(told);
  expect(cuts.size).toBeGreaterThan(0);
  if (SEEDS < FOR_EACH_KIND) {
    return console.log(`not checked: all cases of the boundary and a cut after each kind take ${FOR_EACH_KIND} seeds`);
  }
  const { entries } = readBoundary(new URL("../../core/wit/", import.meta.url));
  expect(complaints(entries, readTable(told))).toEqual([]);
  // stories.test.ts covers the kinds in SCARCE. If this names another kind, it has become scarce: give it a story.
  expect(outputKinds().filter((kind) => !cuts.has(kind) && !(kind in SCARCE))).toEqual([]);
});

/** What is told of a seed does not depend on the seeds that the same process has played before. */
async function alone(): Promise<string[]> {
  const args = ["--seed", String(ALONE.first), "--seeds", String(ALONE.count), "--steps", String(STEPS)];
  return hashesIn(await simulate(...args, "--jobs", "1", "--verbose")).each;
}

/** Kinds of outputs after which an engine was killed. */
function cutsIn(told: string): Set<string> {
  const [, list = ""] = /^killed after \d+ outputs: (.*)$/m.exec(told) ?? [];
  return new Set(list.split(", ").map((entry) => entry.replace(/ \d+$/, "")));
}
