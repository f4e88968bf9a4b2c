// The core's wasm modules, from the script that contains them. The page's build replaces this file with one that
// fetches them.

import { MODULES } from "../../build/core/modules.js";

/** By the names in the core's glue. */
export function coreModules(): Map<string, Uint8Array<ArrayBuffer>> {
  return new Map(Object.entries(MODULES).map(([name, text]) => [name, decoded(text)]));
}

/** Decodes base64. Not every platform has `Uint8Array.fromBase64` yet. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
