// The core that the package carries: compiled when the first engine is opened, kept for all that follow.

import { instantiate } from "../../build/core/core.js";
import type { Core, ImportObject } from "../../build/core/core.js";
import { MODULES } from "../../build/core/modules.js";
import { CompiledComponent } from "../component.js";

let compiled: CompiledComponent<ImportObject, Core> | null = null;

export function embeddedCore(): CompiledComponent<ImportObject, Core> {
  return (compiled ??= new CompiledComponent(decodedModules(), instantiate));
}

function decodedModules(): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(Object.entries(MODULES).map(([name, text]) => [name, decoded(text)]));
}

/** Of base64. Not every platform has `Uint8Array.fromBase64` yet. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
