// Builds what is needed to try mutants, once per version of the sources: a core that contains all mutants of the core,
// and a worker (worker.ts) that contains all mutants of the hosts.

import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import { buildCore } from "../../core/build.js";
import { mutatingHosts } from "./mutating-hosts.js";
import { isOfHosts, mutated, type Mutant } from "./mutant.js";
import { MUTANTS, numberOf } from "./mutants.js";
import { CHOICE, MOST } from "./mutated-core.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MADE = join(ROOT, "build/mutants");

export interface Made {
  /** Directory of the core. */
  core: string;
  /** The worker's program. */
  worker: string;
}

/** Throws if a mutant no longer applies. */
export async function makeMutants(): Promise<Made> {
  await mkdir(MADE, { recursive: true });
  return { core: await madeCore(), worker: await madeWorker() };
}

async function madeCore(): Promise<string> {
  if (MUTANTS.length >= MOST) throw new Error(`${MUTANTS.length} mutants: there is room to count ${MOST - 1}`);
  const folder = join(MADE, `core-${await hashOfCore()}`);
  if (await isThere(folder)) return folder;
  const root = await mkdtemp(join(tmpdir(), "coracle-mutants-"));
  try {
    await cp(join(ROOT, "core"), join(root, "core"), { recursive: true });
    await writeFile(join(root, "package.json"), JSON.stringify({ type: "module" }));
    await writeFile(join(root, "core/assembly/mutant.ts"), CHOICE);
    for (const mutant of MUTANTS) if (!isOfHosts(mutant)) await apply(mutant, join(root, "core/assembly"));
    await buildCore({ root, release: false });
    const made = `${folder}.${process.pid}`;
    await cp(join(root, "build/core"), made, { recursive: true });
    // Another run may have been faster.
    if (await isThere(folder)) await rm(made, { recursive: true });
    else await rename(made, folder);
    await removeOthers(folder);
    return folder;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Removes cores of earlier sources. A core that is still being built has its process id in its name, and stays. */
async function removeOthers(folder: string): Promise<void> {
  for (const name of await readdir(MADE)) {
    if (/^core-[0-9a-f]+$/.test(name) && join(MADE, name) !== folder) await rm(join(MADE, name), { recursive: true });
  }
}

async function apply(mutant: Mutant, folder: string): Promise<void> {
  const path = join(folder, mutant.file);
  const text = await readFile(path, "utf8");
  const depth = "../".repeat(mutant.file.split("/").length - 1) || "./";
  const own = `import { isWrong } from "${depth}mutant";\n`;
  const wrong = mutated(text, mutant, `isWrong(${numberOf(mutant)})`);
  await writeFile(path, text.includes(own) ? wrong : own + wrong);
}

/** A hash of the core's sources and mutants. */
async function hashOfCore(): Promise<string> {
  const hash = createHash("sha256").update(CHOICE);
  for (const mutant of MUTANTS.filter((one) => !isOfHosts(one))) {
    const { file, right, wrong } = mutant;
    hash.update(JSON.stringify([numberOf(mutant), file, right, wrong]));
  }
  const files = await readdir(join(ROOT, "core"), { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() && !file.name.endsWith(".md"))
    .map((file) => join(file.parentPath, file.name));
  for (const path of paths.toSorted()) hash.update(path.slice(ROOT.length)).update(await readFile(path));
  return hash.digest("hex").slice(0, 16);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Placed next to the project's other programs, so that it finds the same files. */
async function madeWorker(): Promise<string> {
  const worker = join(ROOT, "build/tools/mutants-worker.mjs");
  const outfile = `${worker}.${process.pid}`;
  const mutating = mutatingHosts(ROOT);
  await bundle({
    entryPoints: [join(ROOT, "tests/mutants/worker.ts")],
    ...{ outfile, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "silent" },
    packages: "external",
    alias: { "@noble/hashes/sha2.js": join(ROOT, "hosts/node/sha2.ts") },
    plugins: [mutating.plugin],
  });
  mutating.complete();
  await rename(outfile, worker);
  return worker;
}
