// The simulator over some seeds, as many as show every kind of output in CI, fewer elsewhere: a run that one waits for.
// The nights take more: `npm run simulate`, or CORACLE_SIMULATOR_SEEDS and CORACLE_SIMULATOR_STEPS.

import { expect, test } from "vitest";
import { outputKinds } from "./forks/kinds.js";
import { simulate } from "./simulate.js";

const SEEDS = process.env["CORACLE_SIMULATOR_SEEDS"] ?? (process.env["CI"] === "true" ? "1000" : "100");
/** Some are rare. */
const FOR_EACH_KIND = 1000;
const STEPS = process.env["CORACLE_SIMULATOR_STEPS"] ?? "500";

test(`${SEEDS} seeds of ${STEPS} steps hold`, { timeout: 60 * 60_000, retry: 0 }, async () => {
  const told = await simulate("--seeds", SEEDS, "--steps", STEPS, "--jobs", "2");
  console.log(told.trim().split("\n").slice(-3).join("\n"));
  const [, seeds, steps, crashes] = /^(\d+) seeds, (\d+) steps, (\d+) crashes .*; 0 failed$/m.exec(told) ?? [];
  expect(seeds, told).toBe(SEEDS);
  // A step more or less: stories end with whole lines.
  expect(Number(steps)).toBeGreaterThan(0.9 * Number(SEEDS) * Number(STEPS));
  expect(Number(crashes)).toBeGreaterThan(0);
  const cuts = cutsIn(told);
  expect(cuts.size).toBeGreaterThan(0);
  if (Number(SEEDS) < FOR_EACH_KIND)
    console.log(`not asked: a cut behind each kind of output takes ${FOR_EACH_KIND} seeds`);
  else expect((await outputKinds()).filter((kind) => !cuts.has(kind))).toEqual([]);
});

/** Kinds of outputs behind which an engine was cut off. */
function cutsIn(told: string): Set<string> {
  const [, list = ""] = /^cut off behind \d+ outputs: (.*)$/m.exec(told) ?? [];
  return new Set(list.split(", ").map((entry) => entry.replace(/ \d+$/, "")));
}
