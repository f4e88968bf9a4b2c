// The vitest configuration for tests with mutants of hosts, and of the core behind doors (unit-tests.ts).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter, TestModule } from "vitest/node";
import { withMutants } from "./mutating-hosts.js";
import { PLAN } from "./plan.js";
import { type Outcome, projectsOf } from "./unit-tests.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const mutating = {
  name: "mutants",
  enforce: "pre" as const,
  transform: (text: string, id: string): string | null => withMutants(id.slice(join(ROOT, "/").length), text),
};

const telling: Reporter = {
  onTestRunEnd(modules) {
    const outcome: Outcome = { found: {}, late: {}, wrong: {} };
    for (const module of modules) tell(module, outcome);
    writeFileSync(`${process.env[PLAN]}.out`, JSON.stringify(outcome));
  },
};

function tell(module: TestModule, { found, late, wrong }: Outcome): void {
  const file = module.relativeModuleId;
  wrong[file] = module.ok() ? null : `${file} fails: ${module.errors()[0]?.message ?? "in its set-up"}`;
  for (const test of module.children.allTests()) {
    const name = `${file}: ${test.fullName}`;
    const { late: lateWith = [] } = test.meta();
    for (const mutant of lateWith) late[mutant] ??= name;
    if (lateWith.includes(0)) wrong[file] ??= `${name} does not end`;
    for (const [mutant, hasFailed] of Object.entries(test.meta().failed ?? {})) {
      if (mutant === "0") wrong[file] ??= hasFailed ? `${name} fails` : null;
      else found[Number(mutant)] ??= hasFailed ? name : null;
    }
  }
}

export default defineConfig({
  root: ROOT,
  plugins: [mutating],
  test: {
    include: [...new Set(projectsOf().map(({ file }) => file))],
    runner: join(ROOT, "tests/mutants/runner.ts"),
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    // An expected event is late on a busy machine, and never comes if a mutant prevents it. The wait must end before
    // the test's timeout.
    expect: { poll: { timeout: 15_000 } },
    reporters: [telling],
  },
});
