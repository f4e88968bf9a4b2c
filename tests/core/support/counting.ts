// Counts the work of a compiled core instead of its time: function entries and loop iterations. The same work gives the
// same count on any machine, whatever else is running.

import type Binaryen from "assemblyscript/binaryen";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { instantiate } from "../../../build/core/core.js";
import { CompiledComponent } from "../../../hosts/driver/component.js";
import type { CompiledCore } from "../../../hosts/driver/instance.js";
import { kept } from "./kept.js";

/** A Binaryen pass: each function and loop calls an import of `env` with its number whenever it is entered. */
const TELLS_WORK = "log-execution";

/** Its import: the module that the pass is told, and the name that it always has. */
const TOLD = { module: "env", name: "log_execution" };

/** The signature of the import. */
interface Counter {
  readonly exports: { log_execution(place: number): void; readonly count: WebAssembly.Global };
}

/** Written in WebAssembly: a call into JavaScript for each loop iteration would take longer than the iteration. */
const COUNTER = `(module
  (global $count (export "count") (mut i64) (i64.const 0))
  (func (export "log_execution") (param i32) (global.set $count (i64.add (global.get $count) (i64.const 1)))))`;

/** Compiled once. Binaryen is loaded only if it is not kept. */
const COMPILED_COUNTER = new WebAssembly.Module(await kept("counter", [COUNTER], assembled));

/** The work of the instances that share it. */
export class Count {
  readonly #counter = new WebAssembly.Instance(COMPILED_COUNTER) as unknown as Counter;

  /** To add to an instance's own imports: the function that is called, or the number, if the instance counts itself. */
  get imports(): { env: { log_execution: (place: number) => void; count: WebAssembly.Global } } {
    return { env: this.#counter.exports };
  }

  /** Functions entered and loop iterations begun so far. */
  get steps(): number {
    return Number(this.#counter.exports.count.value);
  }
}

/** The built core, with its work counted in `count`. */
export async function countedCore(count: Count): Promise<CompiledCore> {
  const directory = fileURLToPath(new URL("../../../build/core/", import.meta.url));
  const names = readdirSync(directory).filter((name) => name.endsWith(".wasm"));
  const fileOf = async (name: string) => {
    const wasm = new Uint8Array(readFileSync(directory + name));
    const counted = name === "core.core.wasm" ? await kept("core", [wasm], () => counting(wasm)) : wasm;
    return [name, counted] as const;
  };
  const files = await Promise.all(names.map(fileOf));
  return new CompiledComponent(new Map(files), (moduleOf, imports, instance) =>
    instantiate(moduleOf, imports, (module, own) => instance!(module, { ...own, ...count.imports })),
  );
}

/** The module, which counts its work in a global of `env`. */
export async function counting(wasm: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { default: binaryen } = await import("assemblyscript/binaryen");
  const module = binaryen.readBinary(wasm);
  try {
    binaryen.setPassArgument(TELLS_WORK, TOLD.module);
    module.runPasses([TELLS_WORK]);
    countInside(binaryen, module);
    return new Uint8Array(module.emitBinary());
  } finally {
    module.dispose();
  }
}

/** Replaces the import by the addition itself: calls of another instance would take most of the time. */
function countInside(binaryen: typeof Binaryen, module: Binaryen.Module): void {
  const { i32, i64, none } = binaryen;
  module.removeFunction(TOLD.name);
  module.addGlobalImport("work", TOLD.module, "count", i64, true);
  const next = module.i64.add(module.global.get("work", i64), module.i64.const(1n));
  module.addFunction(TOLD.name, i32, none, [], module.global.set("work", next));
  binaryen.setAlwaysInlineMaxSize(ADDITION);
  binaryen.setFlexibleInlineMaxSize(0);
  binaryen.setOneCallerInlineMaxSize(0);
  module.runPasses(["inlining"]);
}

/** Size of the addition in Binaryen's measure: no other function of this size calls anything. */
const ADDITION = 8;

async function assembled(): Promise<Uint8Array<ArrayBuffer>> {
  const { default: binaryen } = await import("assemblyscript/binaryen");
  const module = binaryen.parseText(COUNTER);
  try {
    return new Uint8Array(module.emitBinary());
  } finally {
    module.dispose();
  }
}
