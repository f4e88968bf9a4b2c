// How tests are run with mutants of hosts in what they test (unit-tests.ts).

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter, TestModule } from "vitest/node";
import { withMutants } from "./mutating-hosts.js";
import { type Failures, PLAN, type Project } from "./unit-tests.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const plan = process.env[PLAN] ?? "";
const projects = JSON.parse(readFileSync(plan, "utf8")) as Project[];

const mutating = {
  name: "mutants",
  enforce: "pre" as const,
  transform: (text: string, id: string): string | null => withMutants(id.slice(join(ROOT, "/").length), text),
};

const telling: Reporter = {
  onTestRunEnd(modules) {
    writeFileSync(`${plan}.out`, JSON.stringify(Object.fromEntries(modules.map(failureOf))));
  },
};

/** Or what else went wrong with its file: a mutant may keep it from being loaded. */
function failureOf(module: TestModule): [string, Failures[string]] {
  const [failed] = module.children.allTests("failed");
  const { name } = module.project;
  if (failed !== undefined) return [name, `${module.relativeModuleId}: ${failed.fullName}`];
  return [name, module.ok() ? null : `${module.relativeModuleId}: ${module.errors()[0]?.message ?? "it fails"}`];
}

export default defineConfig({
  root: ROOT,
  test: {
    projects: projects.map(({ mutant, file }) => ({
      root: ROOT,
      plugins: [mutating],
      test: {
        name: String(mutant),
        include: [file],
        env: { MUTANT: String(mutant) },
        setupFiles: [join(ROOT, "tests/mutants/in-force.ts")],
        pool: "forks" as const,
        testTimeout: 20_000,
      },
    })),
    maxWorkers: 2,
    reporters: [telling],
  },
});
