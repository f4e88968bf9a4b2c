// Checks that the simulator's result for a seed does not depend on when, or alongside which others, it is played.

import { expect, test } from "vitest";
import { simulate } from "./simulate.js";

test("equal seeds give equal outputs, with any number of jobs", { timeout: 10 * 60_000 }, async () => {
  const hashOf = async (...args: string[]): Promise<string | undefined> =>
    /^hash of all outputs: (\w+)$/m.exec(await simulate("--seed", "7", "--steps", "300", ...args))?.[1];
  const [alone, together, others] = [
    await hashOf("--seeds", "6", "--jobs", "1"),
    await hashOf("--seeds", "6", "--jobs", "2"),
    await hashOf("--seeds", "5"),
  ];
  expect(alone).toMatch(/^[0-9a-f]{64}$/);
  expect(together).toBe(alone);
  expect(others).not.toBe(alone);
});

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
