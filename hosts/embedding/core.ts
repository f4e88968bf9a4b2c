// The package's core. It is compiled when the first engine is opened, and kept for all later ones.

import { instantiate } from "../../build/core/core.js";
import type { Core, ImportObject } from "../../build/core/core.js";
import { CompiledComponent } from "../driver/index.js";
import { identityOf } from "../hashes/index.js";
import type { CompiledCore } from "./engine.js";
import { coreModules } from "./modules.js";

let compiled: CompiledComponent<ImportObject, Core> | null = null;
let identity: string | null = null;

/** The core in this package, compiled at the first call. */
export function embeddedCore(): CompiledCore {
  return packageCore();
}

/** The same, for code that can open it. */
export function packageCore(): CompiledComponent<ImportObject, Core> {
  return (compiled ??= new CompiledComponent(coreModules(), instantiate));
}

/** The identity of this package's core in a trace: the SHA-256 of its wasm, in hex. */
export function coreIdentity(): string {
  return (identity ??= identityOf(coreModules().get("core.core.wasm")!));
}
