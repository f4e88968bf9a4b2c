// Finds the compiled core in `build/core`, from the sources and from the bundle.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { instantiate, type Core, type ImportObject } from "../../build/core/core.js";
import { CompiledComponent } from "../driver/index.js";

/** The core's component, ready to be instantiated. Throws if the core is not built. */
export function loadCore(): CompiledComponent<ImportObject, Core> {
  const directory = coreDirectory();
  const names = readdirSync(directory).filter((name) => name.endsWith(".wasm"));
  const files = names.map((name) => [name, new Uint8Array(readFileSync(directory + name))] as const);
  return new CompiledComponent(new Map(files), instantiate);
}

/** The core's identity in a trace. */
export function coreIdentity(): string {
  return createHash("sha256")
    .update(readFileSync(join(coreDirectory(), "core.core.wasm")))
    .digest("hex");
}

/** The bundle is in `build`, this file in `hosts/node`. */
function coreDirectory(): string {
  const bundled = import.meta.url.endsWith(".cjs");
  return fileURLToPath(new URL(bundled ? "core/" : "../../build/core/", import.meta.url));
}
