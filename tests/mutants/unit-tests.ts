// Tries mutants by tests: one run of vitest, in which each mutant has a project of its own with the file that finds it.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.js";
import { numberOf } from "./mutants.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** For vitest.config.ts, and from its reporter. */
export const PLAN = "CORACLE_MUTANTS_PLAN";

/** A mutant's number, and the file of tests. */
export interface Project {
  mutant: number;
  file: string;
}

/** By project: the first test that failed; null if all passed. */
export type Failures = Record<string, string | null>;

/** Those that are found, and by which test. */
export async function triedByTests(mutants: readonly Mutant[]): Promise<Map<Mutant, string>> {
  const projects = mutants.flatMap((mutant): Project[] => {
    const { finder } = mutant;
    return typeof finder === "object" && "test" in finder ? [{ mutant: numberOf(mutant), file: finder.test }] : [];
  });
  const failures = projects.length === 0 ? {} : await run(projects);
  const found = new Map<Mutant, string>();
  for (const mutant of mutants) {
    const failed = failures[String(numberOf(mutant))];
    if (typeof failed === "string") found.set(mutant, failed);
  }
  return found;
}

async function run(projects: Project[]): Promise<Failures> {
  const folder = await mkdtemp(join(tmpdir(), "coracle-mutants-"));
  try {
    const plan = join(folder, "plan.json");
    await writeFile(plan, JSON.stringify(projects));
    const said = await vitest(plan);
    const failures = JSON.parse(await readFile(`${plan}.out`, "utf8").catch(() => "{}")) as Failures;
    const missing = projects.find(({ mutant }) => !(String(mutant) in failures));
    if (missing !== undefined) throw new Error(`${missing.file} was not run: ${said}`);
    return failures;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What it says. */
function vitest(plan: string): Promise<string> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--config", "tests/mutants/vitest.config.ts"];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, [PLAN]: plan } });
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (text += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(text));
  });
}
