// The core that the package carries: compiled when the first engine is opened, kept for all that follow.

import { instantiate } from "../../build/core/core.js";
import type { Core, ImportObject } from "../../build/core/core.js";
import { MODULES } from "../../build/core/modules.js";
import { CompiledComponent } from "../component.js";
import { identityOf } from "../trace/hash.js";
import type { CompiledCore } from "./engine.js";

let compiled: CompiledComponent<ImportObject, Core> | null = null;
let identity: string | null = null;

/** The core that this package carries, compiled at the first call. */
export function embeddedCore(): CompiledCore {
  return packageCore();
}

/** The same, for those who can open it. */
export function packageCore(): CompiledComponent<ImportObject, Core> {
  const modules = (): [string, Uint8Array<ArrayBuffer>][] =>
    Object.entries(MODULES).map(([name, text]) => [name, decoded(text)]);
  return (compiled ??= new CompiledComponent(new Map(modules()), instantiate));
}

/** What a trace calls this package's core by: the SHA-256 of its wasm, in hex. */
export function coreIdentity(): string {
  return (identity ??= identityOf(decoded(MODULES["core.core.wasm"]!)));
}

/** Of base64. Not every platform has `Uint8Array.fromBase64` yet. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
