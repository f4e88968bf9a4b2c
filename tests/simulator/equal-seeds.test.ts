// Checks that the simulator's result for a seed does not depend on when, or alongside which others, it is played.

import { expect, test } from "vitest";
import { simulate } from "./simulate.js";

test("equal seeds give equal outputs, with any number of jobs", { timeout: 10 * 60_000 }, async () => {
  const [alone, together, first] = [
    await hashesOf("--seeds", "6", "--jobs", "1"),
    await hashesOf("--seeds", "6", "--jobs", "2"),
    await hashesOf("--seeds", "1"),
  ];
  expect(alone.all).toMatch(/^[0-9a-f]{64}$/);
  expect(together).toEqual(alone);
  expect(first.all).not.toBe(alone.all);
  expect(first.each).toEqual(alone.each.slice(0, 1));
  // No two seeds give the same outputs.
  expect(new Set(alone.each.map((line) => line.replace(/^seed \d+/, ""))).size).toBe(6);
});

/** The hash of all outputs, and a line for each seed, in the order of the seeds. */
async function hashesOf(...args: string[]): Promise<{ all: string | undefined; each: string[] }> {
  const told = await simulate("--seed", "7", "--steps", "300", "--verbose", ...args);
  const seedOf = (line: string): number => Number(/\d+/.exec(line)?.[0]);
  const each = told.match(/^seed \d+: \d+ steps, hash [0-9a-f]{16}$/gm) ?? [];
  return {
    all: /^hash of all outputs: (\w+)$/m.exec(told)?.[1],
    each: each.sort((one, other) => seedOf(one) - seedOf(other)),
  };
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
