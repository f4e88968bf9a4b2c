// The core's wasm modules, out of the script that carries them. The page's build has another file in this one's place, which
// fetches them.

import { MODULES } from "../../build/core/modules.js";

/** By the names that the core's glue asks for. */
export function coreModules(): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(Object.entries(MODULES).map(([name, text]) => [name, decoded(text)]));
}

/** Of base64. Not every platform has `Uint8Array.fromBase64` yet. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
