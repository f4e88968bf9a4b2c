// Rewrites a module's export section, because AssemblyScript cannot export names such as `coracle:engine/engine#step`.

import { concat, EXPORT_SECTION, rewriteSections, sectionWith, unsigned, unsignedAt } from "./sections.js";

/**
 * Renames the exports of a module that are in `names`. The WebAssembly core specification, 5.5.10, "Export Section",
 * defines the section.
 */
export function renameExports(wasm: Uint8Array, names: Map<string, string>): Uint8Array {
  return rewriteSections(wasm, ({ id, content, whole }) =>
    id === EXPORT_SECTION ? sectionWith(id, renamedSection(content, names)) : whole,
  );
}

function renamedSection(section: Uint8Array, names: Map<string, string>): Uint8Array {
  const [count, first] = unsignedAt(section, 0);
  const parts: (Uint8Array | number[])[] = [unsigned(count)];
  for (let i = 0, at = first; i < count; i++) {
    const [length, start] = unsignedAt(section, at);
    const name = new TextDecoder().decode(section.subarray(start, start + length));
    const bytes = new TextEncoder().encode(names.get(name) ?? name);
    const [, end] = unsignedAt(section, start + length + 1);
    parts.push(unsigned(bytes.length), bytes, section.subarray(start + length, end));
    at = end;
  }
  return concat(parts);
}
