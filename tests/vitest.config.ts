// How `npm test` and `npm run check` run vitest.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./order.js";
import { ALL, SHARED } from "./sharing.js";

const LENDER = fileURLToPath(new URL("support/lending/lender.ts", import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    // Two that differ in nothing but in who shares a process (sharing.ts).
    projects: [
      { extends: true, test: { name: "in turn", include: [...SHARED], isolate: false } },
      { extends: true, test: { name: "alone", include: [...ALL], exclude: [...SHARED], globalSetup: [LENDER] } },
    ],
    pool: "forks",
    // Most of what a file does is to wait for daemons and containers of its own.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // In the end a dozen lent engines are taken down (support/lending): what is cut off there stays on the machine.
    teardownTimeout: 180_000,
    // What is polled for comes, as a rule at once: nobody waits longer than needed.
    expect: { poll: { timeout: 60_000 } },
    // A failure tells both values whole: 40 characters of them say little.
    chaiConfig: { truncateThreshold: 1000 },
    // A machine of CI may stand still for seconds. What needed a second try is named at the end (reporter.ts).
    retry: process.env["CI"] === "true" ? 1 : 0,
    runner: fileURLToPath(new URL("runner.ts", import.meta.url)),
    reporters: ["default", fileURLToPath(new URL("reporter.ts", import.meta.url))],
  },
});
