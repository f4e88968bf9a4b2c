// Checks that the simulator's result for a seed does not depend on when, or alongside which others, it is played.

import { expect, test } from "vitest";
import { hashesIn, simulate, type Hashes } from "./simulate.js";

const SEEDS = 3;

/** Of a few steps. simulator.test.ts compares long stories. */
test("equal seeds give equal outputs, with any number of jobs", { timeout: 10 * 60_000 }, async () => {
  const [alone, together, first] = [
    await hashesOf("--seeds", String(SEEDS), "--jobs", "1"),
    await hashesOf("--seeds", String(SEEDS), "--jobs", "2"),
    await hashesOf("--seeds", "1"),
  ];
  expect(alone.all).toMatch(/^[0-9a-f]{64}$/);
  expect(together).toEqual(alone);
  expect(first.all).not.toBe(alone.all);
  expect(first.each).toEqual(alone.each.slice(0, 1));
  // No two seeds give the same outputs.
  expect(new Set(alone.each.map((line) => line.replace(/^seed \d+/, ""))).size).toBe(SEEDS);
});

async function hashesOf(...args: string[]): Promise<Hashes> {
  return hashesIn(await simulate("--seed", "7", "--steps", "100", "--verbose", ...args));
}

test.each([
  ["--seed", "x"],
  ["--steps", "0"],
  ["--seeds", "1.5"],
  ["--minutes", "soon"],
  ["--sed", "7"],
])("%s %s: is refused, and does not report a success", { timeout: 60_000 }, async (...args) => {
  const told = await simulate(...args);
  expect(told).toContain(args[0]);
  expect(told).toContain("Usage: npm run simulate");
  expect(told).not.toContain("0 failed");
});
