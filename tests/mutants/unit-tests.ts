// Tries mutants with tests: in one run of vitest, each file runs once, and each of its tests once for every mutant that
// it should find (runner.ts).

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.js";
import { numberOf } from "./mutants.js";
import { PLAN } from "./plan.js";
import { NOBODY, type Verdict } from "./verdict.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A mutant and its finder: tests of a file, by a part of their names. */
export interface Project {
  mutant: number;
  file: string;
  named: string;
}

/** The result of a run. */
export interface Outcome {
  /** By mutant number: the first test that failed with it, or null. */
  found: Record<number, string | null>;
  /** By mutant number: a test that did not finish with it, whether or not another test found it. */
  late: Record<number, string>;
  /** By file: the failure without any mutant; null if there is none. */
  wrong: Record<string, string | null>;
}

export function isNamed(name: string, part: string): boolean {
  return name.includes(part);
}

/** The projects of this run: all, or those of a file. */
export function projectsOf(file?: string): Project[] {
  const all = JSON.parse(readFileSync(process.env[PLAN] ?? "", "utf8")) as Project[];
  return file === undefined ? all : all.filter((project) => file.endsWith(`/${project.file}`));
}

/** The verdict on each mutant. */
export async function triedByTests(mutants: readonly Mutant[]): Promise<Map<Mutant, Verdict>> {
  const projects = mutants.map(projectOf);
  const outcome = projects.length === 0 ? { found: {}, late: {}, wrong: {} } : await run(projects);
  return new Map(mutants.map((mutant) => [mutant, verdictOf(projectOf(mutant), outcome)]));
}

function projectOf(mutant: Mutant): Project {
  const { finder } = mutant;
  if (typeof finder === "string" || !("test" in finder)) throw new Error(`no tests find "${mutant.name}"`);
  return { mutant: numberOf(mutant), file: finder.test, named: finder.named };
}

function verdictOf({ mutant, file, named }: Project, { found, late, wrong }: Outcome): Verdict {
  const isWrong = wrong[file];
  if (isWrong !== null) return { ...NOBODY, lost: `without a mutant ${isWrong ?? `${file} was not run`}` };
  if (!(mutant in found)) return { ...NOBODY, lost: `no test of ${file} is run that is named "${named}"` };
  const isLost = found[mutant] === null && mutant in late;
  return { ...NOBODY, found: found[mutant] ?? null, lost: isLost ? `${late[mutant]} does not end` : null };
}

async function run(projects: Project[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "coracle-mutants-"));
  try {
    const plan = join(folder, "plan.json");
    await writeFile(plan, JSON.stringify(projects));
    const said = await vitest(plan);
    const outcome = await readFile(`${plan}.out`, "utf8").catch(() => null);
    if (outcome === null) throw new Error(`tests were not run: ${said}`);
    return JSON.parse(outcome) as Outcome;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Its output. */
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
