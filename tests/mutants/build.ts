// A core with all mutants in it, compiled once, by AssemblyScript and by the engine that runs it: which of them runs stands
// in the memory of each instance, and is written there as it is made.

import { cp, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildCore } from "../../core/build.js";
import type { Build } from "../core/exhaustive/core-memory.js";
import type { Mutant } from "./mutants.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Eight bytes that stand nowhere else; what follows is the number of the mutant that runs. */
const MARK = Buffer.from("mutant! ");

const CHOICE = `// Which rule is wrong: see tests/mutants/build.ts.

export function isWrong(mutant: u32): bool {
  return load<u32>(memory.data<u8>([${[...MARK].join(", ")}, 0, 0, 0, 0]), 8) == mutant;
}
`;

/** Mutants by number, from 1 on; 0 is the core as it should be. */
export class MutatedCore {
  readonly #build: Build;
  /** Of the mark in memory. */
  #at = -1;

  private constructor(build: Build) {
    this.#build = build;
  }

  /** Throws if one of them does not apply any more. */
  static async build(mutants: readonly Mutant[]): Promise<MutatedCore> {
    const root = await mkdtemp(join(tmpdir(), "coracle-mutants-"));
    try {
      await cp(join(ROOT, "core"), join(root, "core"), { recursive: true });
      await writeFile(join(root, "package.json"), JSON.stringify({ type: "module" }));
      await writeFile(join(root, "core/assembly/mutant.ts"), CHOICE);
      for (const [at, mutant] of mutants.entries()) await apply(mutant, at + 1, join(root, "core/assembly"));
      await buildCore({ root, release: false });
      return new MutatedCore(await load(join(root, "build/core")));
    } finally {
      await rm(root, { recursive: true });
    }
  }

  with(mutant: number): Build {
    const choosing: Build["instantiate"] = (modules, imports, make = newInstance) =>
      this.#build.instantiate(modules, imports, (module, coreImports) => {
        const made = make(module, coreImports);
        if ("trapped" in made.exports) this.#choose(mutant, made.exports["memory"] as WebAssembly.Memory);
        return made;
      });
    return { ...this.#build, instantiate: choosing };
  }

  #choose(mutant: number, { buffer }: WebAssembly.Memory): void {
    const memory = Buffer.from(buffer);
    if (this.#at < 0) this.#at = onlyPlaceOf(MARK, memory);
    memory.writeUInt32LE(mutant, this.#at + MARK.length);
  }
}

function newInstance(module: WebAssembly.Module, imports: WebAssembly.Imports): WebAssembly.Instance {
  return new WebAssembly.Instance(module, imports);
}

function onlyPlaceOf(mark: Buffer, memory: Buffer): number {
  const at = memory.indexOf(mark);
  if (at < 0 || memory.indexOf(mark, at + 1) >= 0)
    throw new Error("the choice of a mutant stands not once in the core");
  return at;
}

async function apply({ name, file, right, wrong }: Mutant, number: number, folder: string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  if (text.split(right).length !== 2) throw new Error(`"${name}" does not apply to ${file} any more`);
  const depth = "../".repeat(file.split("/").length - 1) || "./";
  const own = `import { isWrong } from "${depth}mutant";\n`;
  const mutated = text.replace(right, () => wrong.replaceAll("WRONG", `isWrong(${number})`));
  await writeFile(path, text.includes(own) ? mutated : own + mutated);
}

async function load(folder: string): Promise<Build> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".wasm"));
  const modules = names.map(
    async (name) => [name, new WebAssembly.Module(await readFile(join(folder, name)))] as const,
  );
  const made = (name: string): Promise<unknown> => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href);
  const { CLASSES } = (await made("classes.js")) as { CLASSES: Build["classes"] };
  const { instantiate } = (await made("core.js")) as Pick<Build, "instantiate">;
  return { modules: new Map(await Promise.all(modules)), instantiate, classes: CLASSES };
}
