// Turns AssemblyScript into a component and its JavaScript glue: compiles, checks the module's imports, gives the
// exports their component names, wraps the module into a component, transpiles.

import { componentEmbed, componentNew, transpile, types } from "@bytecodealliance/jco";
import * as asc from "assemblyscript/asc";
import { transform } from "esbuild";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generateBindings, type BindingsOptions } from "./assembly.js";
import { ClassReader, type Onlooker } from "./classes.js";
import { joinSegments } from "./data-section.js";
import { renameExports } from "./export-section.js";
import { quickened } from "./glue.js";
import { fillPlaceholders, FRONT } from "./placeholders.js";
import { readWit } from "./wit.js";
import { VISITS_APART } from "./visits.js";
import type { World } from "./world.js";

export interface ComponentOptions extends BindingsOptions {
  /** Source of the WIT package. */
  wit: string;
  /** Folder of all sources. The compiler reads nothing outside it. */
  baseDir: string;
  /** Output folder of the bindings, relative to `baseDir`. */
  bindings: string;
  /** Output folder of glue, core modules and types. */
  outDir: string;
  /** Folder of the bindings' runtime (`core/bindgen/runtime`). */
  runtime: string;
  /** Name of the output files. */
  name: string;
  /** Optimizes for speed. Without it, the compiler runs quickly and keeps names. */
  release: boolean;
  /** More files for hosts that are generated from the world, by name. They are written next to the glue. */
  hostFiles?: (world: World) => Record<string, string>;
}

/**
 * Writes the bindings, then the host's types and `hostFiles`, and, if the sources compile, glue, core modules and
 * `classes.js`. Resolves to the compiled module. Types come directly from the WIT, since a component has no comments
 * and no types that it does not use.
 */
export async function buildComponent(options: ComponentOptions): Promise<Uint8Array> {
  const { wit, baseDir, bindings, outDir, name, release } = options;
  const world = readWit(wit);
  const exportNames = await writeBindings(options, world);
  await writeFiles(outDir, await types(join(baseDir, bindings, "world.wit"), { name, instantiation: "sync" }));
  await writeFiles(outDir, options.hostFiles?.(world) ?? {});
  const classes = new ClassReader();
  const compiled = await compileAssembly({ baseDir, bindings, release, onlookers: [classes] });
  const wasm = joinSegments(fillPlaceholders(compiled, !release));
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

/** Writes each file atomically, so that a concurrent build never reads a half-written file. */
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
  /** Folder of the bindings, relative to `baseDir`. Its `exports.ts` is the entry. */
  bindings: string;
  release: boolean;
  /** Observers of the compiler. */
  onlookers?: Onlooker[];
}

/** AssemblyScript's own functions, and their replacements: a module in the bindings' folder and its function. */
const REPLACED = {
  abort: "trap/onAbort",
  __new: "heap/countingNew",
  __renew: "heap/countingRenew",
  __free: "heap/wipingFree",
  __link: "collector/link",
  __visit: "collector/visit",
  __collect: "collector/collectAll",
};

/** Calls in AssemblyScript's library, by file, and those that take their place. */
const CALLS = {
  // The allocator asks for memory: runtime/extent.ts.
  "rt/tlsf": { "memory.size(": "__heapPages(", "memory.grow(": "__growHeap(" },
  // A new array: runtime/heap.ts.
  rt: { "__newBuffer(bufferSize, idof<ArrayBuffer>(), data)": "__newItems(bufferSize, data)" },
};

/** Compiles to one wasm module. Throws with the compiler's messages. */
export async function compileAssembly(options: CompileOptions): Promise<Uint8Array> {
  const { baseDir, bindings, release, onlookers = [] } = options;
  ownCalls();
  asFastLibrary();
  let wasm: Uint8Array | undefined;
  const effort = release ? ["--optimizeLevel", "3", "--shrinkLevel", "1"] : ["--debug"];
  const replaced = Object.entries(REPLACED).flatMap(([name, by]) => ["--use", `${name}=${bindings}/${by}`]);
  const { error, stderr } = await asc.main(
    [`${bindings}/exports.ts`, "--baseDir", baseDir, "--config", "none", "--outFile", "core.wasm", "--runtime", "minimal"]
      .concat(["--exportStart", "_initialize", "--memoryBase", String(FRONT), ...effort, ...replaced]), // prettier-ignore
    {
      transforms: [VISITS_APART, ...onlookers] as asc.Transform[],
      writeFile: (name, contents) => {
        if (name.endsWith(".wasm")) wasm = contents as Uint8Array;
      },
    },
  );
  if (error || !wasm) throw new Error(`asc: ${stderr.toString() || String(error)}`);
  return wasm;
}

/** Changes the library for every compilation in this process, since AssemblyScript has no option for it. */
function ownCalls(): void {
  for (const [file, calls] of Object.entries(CALLS)) {
    let library = asc.libraryFiles[file] ?? "";
    for (const [call, own] of Object.entries(calls)) {
      library = library.replaceAll(call, own);
      if (!library.includes(own)) throw new Error(`AssemblyScript's ${file} does not call ${call}`);
    }
    asc.libraryFiles[file] = library;
  }
}

/** Of a library for small programs lists grow one by one: 40,000 lines of a commit then take gigabytes. */
function asFastLibrary(): void {
  for (const [name, text] of Object.entries(asc.libraryFiles)) {
    asc.libraryFiles[name] = text.replaceAll("ASC_SHRINK_LEVEL", "0");
  }
}

/** Refuses a module that imports anything except the interfaces of the world. */
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
  });
  const kept = Object.entries(files).filter(([file]) => !file.endsWith(".d.ts"));
  const all = kept.map(async ([file, bytes]) => [file, file.endsWith(".js") ? await quicker(bytes) : bytes] as const);
  return Object.fromEntries(await Promise.all(all));
}

/** Minified by esbuild: jco's own minifier takes 7 s of a processor for it, and its result is larger. */
async function quicker(glue: Uint8Array): Promise<Uint8Array> {
  const { code } = await transform(Buffer.from(glue).toString(), { minify: true, target: "es2022" });
  return Buffer.from(quickened(code));
}
