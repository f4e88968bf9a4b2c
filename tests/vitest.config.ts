// How `npm test` and `npm run check` run vitest.

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["tests/**/*.test.ts", "core/bindgen/*.test.ts"],
    pool: "forks",
    // Each file may start a daemon and containers of its own: more side by side only makes all of them late.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What is polled for comes, as a rule at once: nobody waits longer than needed.
    expect: { poll: { timeout: 20_000 } },
    // A machine of CI may stand still for seconds. What needed a second try is named at the end (reporter.ts).
    retry: process.env["CI"] === "true" ? 1 : 0,
    reporters: ["default", fileURLToPath(new URL("reporter.ts", import.meta.url))],
  },
});
