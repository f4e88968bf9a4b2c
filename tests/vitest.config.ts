// How `npm test` and `npm run check` run vitest.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./order.js";
import { ALL, SHARED } from "./sharing.js";

const SET_UP = ["support/lending/lender.ts", "support/proofs/set-up.ts"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export default defineConfig({
  root: ROOT,
  // As in every program of ours on Node: traces, stories and registries hash much.
  resolve: { alias: { "@noble/hashes/sha2.js": join(ROOT, "hosts/node/sha2.ts") } },
  test: {
    // Two projects that differ only in whether files share a process (sharing.ts).
    projects: [
      { extends: true, test: { name: "in turn", globalSetup: SET_UP, include: [...SHARED], isolate: false } },
      { extends: true, test: { name: "alone", include: [...ALL], exclude: [...SHARED], globalSetup: SET_UP } },
    ],
    pool: "forks",
    // Young objects of tests are many: with 16 MiB for them, V8 keeps a tenth of its time copying them. The others are
    // hardly ever garbage while the modules load, and most functions run too short for the optimizing compiler: it gets
    // those that run four times longer than by default. Six files of core/ and trace/ took 29 s of processors instead of 33.
    execArgv: ["--max-semi-space-size=64", "--initial-old-space-size=256", "--interrupt-budget=600000"],
    // Most files mainly wait for daemons and containers. But each process loads the modules and borrows engines of its own:
    // with 8 processes, 15 files of http/ took 76 s of processors, with 4 they took 66 s.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // At the end a dozen lent engines are stopped (support/lending). A forced end would leave their resources on the
    // machine.
    teardownTimeout: 180_000,
    // A polled condition usually becomes true at once, so a long timeout costs nothing.
    expect: { poll: { timeout: 60_000 } },
    // Failures print both values in full, because 40 characters say little.
    chaiConfig: { truncateThreshold: 1000 },
    // A CI machine may stall for seconds. Tests that needed a second try are listed at the end (reporter.ts).
    retry: process.env["CI"] === "true" ? 1 : 0,
    runner: fileURLToPath(new URL("runner.ts", import.meta.url)),
    reporters: ["default", fileURLToPath(new URL("reporter.ts", import.meta.url))],
  },
});
