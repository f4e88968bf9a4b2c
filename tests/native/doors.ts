// The interface between a host and the core: the functions that the built core imports and exports, by their wasm
// names, with their types from the WIT.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readWit } from "../../core/bindgen/wit.js";
import type { Func } from "../../core/bindgen/world.js";
import { readWorld } from "../../core/build.js";
import { Layouts } from "../../core/bindgen/layout.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CORE_WASM = join(ROOT, "build/core/core.core.wasm");

/** A function of the interface. */
export interface Door {
  /** Its interface, with the package: `coracle:engine/timers`. */
  from: string;
  func: Func;
  /** The name in the module: `coracle:engine/engine#step`; for an import `coracle:engine/timers.perform`. */
  name: string;
  /** The export that is called afterwards with the result, to free the result's memory; null if there is none. */
  after: string | null;
}

export interface Doors {
  layouts: Layouts;
  imports: Door[];
  exports: Door[];
}

/** Finds the functions in the core that was built last. */
export async function coreDoors(): Promise<Doors> {
  const world = readWit(await readWorld(join(ROOT, "core/wit")));
  const module = new WebAssembly.Module(readFileSync(CORE_WASM));
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const doorsOf = (names: string[], separator: string): Door[] =>
    names.flatMap((interfaceName) => {
      const from = `${world.package}/${interfaceName}`;
      return world.interfaces.get(interfaceName)!.functions.map((func) => {
        const name = `${from}${separator}${func.name}`;
        const after = `cabi_post_${name}`;
        return { from, func, name, after: exported.has(after) ? after : null };
      });
    });
  return { layouts: new Layouts(world), imports: doorsOf(world.imports, "."), exports: doorsOf(world.exports, "#") };
}
