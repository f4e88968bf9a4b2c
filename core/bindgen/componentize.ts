// From AssemblyScript to a component and its JavaScript glue: compile, give the exports their component names, check what
// the module imports, wrap, transpile.

import { componentEmbed, componentNew, transpile, types } from "@bytecodealliance/jco";
import * as asc from "assemblyscript/asc";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generateBindings, type BindingsOptions } from "./assembly.js";
import { ClassReader, type Onlooker } from "./classes.js";
import { renameExports } from "./export-section.js";
import { fillPlaceholders, FRONT } from "./placeholders.js";
import { readWit } from "./wit.js";
import type { World } from "./world.js";

export interface ComponentOptions extends BindingsOptions {
  /** Text of the WIT package. */
  wit: string;
  /** Folder of all sources; the compiler sees nothing outside of it. */
  baseDir: string;
  /** Where the bindings go, relative to `baseDir`. */
  bindings: string;
  /** Where glue, core modules and types go. */
  outDir: string;
  /** Folder of what the bindings stand on (`core/bindgen/runtime`). */
  runtime: string;
  /** Name of the files that come out. */
  name: string;
  /** Fast rather than small; else compiled quickly and with names. */
  release: boolean;
  /** What else hosts are given that is made of the world: texts by file name, beside the glue. */
  hostFiles?: (world: World) => Record<string, string>;
}

/**
 * Writes the bindings, then the host's types and `hostFiles`, then, if the sources compile, glue, core modules and
 * `classes.js`. Resolves to the compiler's own module. Types come from the WIT alone: the component knows neither
 * comments nor what it leaves unused.
 */
export async function buildComponent(options: ComponentOptions): Promise<Uint8Array> {
  const { wit, baseDir, bindings, outDir, name, release } = options;
  const world = readWit(wit);
  const exportNames = await writeBindings(options, world);
  await writeFiles(outDir, await types(join(baseDir, bindings, "world.wit"), { name, instantiation: "sync" }));
  await writeFiles(outDir, options.hostFiles?.(world) ?? {});
  const classes = new ClassReader();
  const wasm = fillPlaceholders(await compileAssembly({ baseDir, bindings, release, onlookers: [classes] }), !release);
  checkImports(wasm, world);
  const files = await transpileComponent(await componentize(renameExports(wasm, exportNames), wit), name);
  await writeFiles(outDir, { ...files, ...classes.files() });
  return wasm;
}

async function writeBindings(options: ComponentOptions, world: World): Promise<Map<string, string>> {
  const { wit, baseDir, bindings, runtime } = options;
  const { files, exportNames } = generateBindings(world, options);
  for (const name of await readdir(runtime)) files.set(name, await readFile(join(runtime, name), "utf8"));
  await writeFiles(join(baseDir, bindings), { ...Object.fromEntries(files), "world.wit": wit });
  return exportNames;
}

/** Each whole or not there, so that builds at the same time do not read each other's halves. */
async function writeFiles(directory: string, files: Record<string, Uint8Array | string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, content);
    await rename(part, path);
  }
}

export interface CompileOptions {
  baseDir: string;
  /** Their folder, relative to `baseDir`; `exports.ts` in it is where the module begins. */
  bindings: string;
  release: boolean;
  /** They are told of the program. */
  onlookers?: Onlooker[];
}

/** Functions of AssemblyScript's own, and what takes their place: modules of the bindings' folder, and functions. */
const REPLACED = {
  abort: "trap/onAbort",
  __new: "heap/countingNew",
  __renew: "heap/countingRenew",
  __free: "heap/wipingFree",
};

/** AssemblyScript's allocator, and what it asks and grows in place of the memory (`runtime/extent.ts`). */
const ALLOCATOR = "rt/tlsf";
const EXTENT = { "memory.size(": "__heapPages(", "memory.grow(": "__growHeap(" };

/** Compiles to one wasm module. Throws with the compiler's messages. */
export async function compileAssembly(options: CompileOptions): Promise<Uint8Array> {
  const { baseDir, bindings, release, onlookers = [] } = options;
  ownExtent();
  let wasm: Uint8Array | undefined;
  const effort = release ? ["--optimizeLevel", "3", "--shrinkLevel", "0"] : ["--debug"];
  const replaced = Object.entries(REPLACED).flatMap(([name, by]) => ["--use", `${name}=${bindings}/${by}`]);
  const { error, stderr } = await asc.main(
    [`${bindings}/exports.ts`, "--baseDir", baseDir, "--config", "none", "--outFile", "core.wasm", "--runtime", "minimal"]
      .concat(["--exportStart", "_initialize", "--memoryBase", String(FRONT), ...effort, ...replaced]), // prettier-ignore
    {
      transforms: onlookers as asc.Transform[],
      writeFile: (name, contents) => {
        if (name.endsWith(".wasm")) wasm = contents as Uint8Array;
      },
    },
  );
  if (error || !wasm) throw new Error(`asc: ${stderr.toString() || String(error)}`);
  return wasm;
}

/** For every compilation of this process: AssemblyScript lets nobody have an allocator beside its own. */
function ownExtent(): void {
  let allocator = asc.libraryFiles[ALLOCATOR] ?? "";
  for (const [builtin, own] of Object.entries(EXTENT)) {
    allocator = allocator.replaceAll(builtin, own);
    if (!allocator.includes(own)) throw new Error(`AssemblyScript's ${ALLOCATOR} does without ${builtin})`);
  }
  asc.libraryFiles[ALLOCATOR] = allocator;
}

/** Refuses a module that imports anything but the interfaces of the world. */
export function checkImports(wasm: Uint8Array, world: World): void {
  const known = new Set(world.imports.map((name) => `${world.package}/${name}`));
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (!known.has(from)) throw new Error(`the core imports ${from}.${name}, which is not in the world`);
  }
}

/** Wraps a module into a component of the world that `wit` describes. */
export async function componentize(wasm: Uint8Array, wit: string): Promise<Uint8Array> {
  const embedded = await componentEmbed({ binary: wasm, witSource: wit, stringEncoding: "utf16" });
  return componentNew(embedded, null);
}

/** A component's core modules and glue, by file name. */
export async function transpileComponent(component: Uint8Array, name: string): Promise<Record<string, Uint8Array>> {
  const { files } = await transpile(component, {
    name,
    instantiation: "sync",
    nodejsCompat: false,
    tlaCompat: false,
    minify: true,
  });
  return Object.fromEntries(Object.entries(files).filter(([file]) => !file.endsWith(".d.ts")));
}
