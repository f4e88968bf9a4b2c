// The simulator over some seeds, always the same ones: a run that one waits for, in CI three times as long as elsewhere.
// The nights take more: `npm run simulate`.

import { expect, test } from "vitest";
import { outputKinds } from "./forks/kinds.js";
import { SCARCE } from "./forks/scarce.js";
import { simulate } from "./simulate.js";
import { readBoundary } from "./visits/boundary.js";
import { complaints } from "./visits/gate.js";
import { readTable } from "./visits/table.js";

/** So many come to each kind of output, but for those that have a story of their own. */
const FOR_EACH_KIND = 100;
const SEEDS = process.env["CI"] === "true" ? FOR_EACH_KIND : 50;
const STEPS = 500;

test(`${SEEDS} seeds of ${STEPS} steps hold`, { timeout: 60 * 60_000, retry: 0 }, async () => {
  const told = await simulate("--seeds", String(SEEDS), "--steps", String(STEPS), "--jobs", "2");
  // The table of visits, and what was played.
  console.log(told.slice(Math.max(0, told.indexOf("visited "))).trim());
  const [, seeds, steps, crashes] = /^(\d+) seeds, (\d+) steps, (\d+) crashes .*; 0 failed$/m.exec(told) ?? [];
  expect(Number(seeds), told).toBe(SEEDS);
  // A step more or less: stories end with whole lines.
  expect(Number(steps)).toBeGreaterThan(0.9 * SEEDS * STEPS);
  expect(Number(crashes)).toBeGreaterThan(0);
  const cuts = cutsIn(told);
  expect(cuts.size).toBeGreaterThan(0);
  if (SEEDS < FOR_EACH_KIND) {
    return console.log(`not asked: all cases of the boundary and a cut behind each kind take ${FOR_EACH_KIND} seeds`);
  }
  const { entries } = readBoundary(new URL("../../core/wit/", import.meta.url));
  expect(complaints(entries, readTable(told))).toEqual([]);
  // Those that are scarce are shown in stories.test.ts. One that is named here has become scarce: give it a story.
  expect(outputKinds().filter((kind) => !cuts.has(kind) && !(kind in SCARCE))).toEqual([]);
});

/** Kinds of outputs behind which an engine was cut off. */
function cutsIn(told: string): Set<string> {
  const [, list = ""] = /^cut off behind \d+ outputs: (.*)$/m.exec(told) ?? [];
  return new Set(list.split(", ").map((entry) => entry.replace(/ \d+$/, "")));
}
