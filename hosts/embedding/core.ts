// The core that the package carries: compiled when the first engine is opened, kept for all that follow.

import { instantiate } from "../../build/core/core.js";
import type { Core, ImportObject } from "../../build/core/core.js";
import { CompiledComponent } from "../driver/index.js";
import { identityOf } from "../trace/hash.js";
import type { CompiledCore } from "./engine.js";
import { coreModules } from "./modules.js";

let compiled: CompiledComponent<ImportObject, Core> | null = null;
let identity: string | null = null;

/** The core that this package carries, compiled at the first call. */
export function embeddedCore(): CompiledCore {
  return packageCore();
}

/** The same, for those who can open it. */
export function packageCore(): CompiledComponent<ImportObject, Core> {
  return (compiled ??= new CompiledComponent(coreModules(), instantiate));
}

/** What a trace calls this package's core by: the SHA-256 of its wasm, in hex. */
export function coreIdentity(): string {
  return (identity ??= identityOf(coreModules().get("core.core.wasm")!));
}
