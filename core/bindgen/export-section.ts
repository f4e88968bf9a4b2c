// Rewrites a module's export section, because AssemblyScript cannot export names such as `coracle:engine/engine#step`.

/**
 * Renames the exports of a module that are in `names`. The WebAssembly core specification, 5.5.10, "Export Section",
 * defines the section.
 */
export function renameExports(wasm: Uint8Array, names: Map<string, string>): Uint8Array {
  const parts: Uint8Array[] = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length;) {
    const [size, start] = readUnsigned(wasm, at + 1);
    const section = wasm.subarray(at, start + size);
    const renamed = wasm[at] === EXPORT_SECTION ? renamedSection(wasm.subarray(start, start + size), names) : undefined;
    parts.push(renamed ? concat([[EXPORT_SECTION, ...unsigned(renamed.length)], renamed]) : section);
    at = start + size;
  }
  return concat(parts);
}

const EXPORT_SECTION = 7;

function renamedSection(section: Uint8Array, names: Map<string, string>): Uint8Array {
  const [count, first] = readUnsigned(section, 0);
  const parts: (Uint8Array | number[])[] = [unsigned(count)];
  for (let i = 0, at = first; i < count; i++) {
    const [length, start] = readUnsigned(section, at);
    const name = new TextDecoder().decode(section.subarray(start, start + length));
    const bytes = new TextEncoder().encode(names.get(name) ?? name);
    const [, end] = readUnsigned(section, start + length + 1);
    parts.push(unsigned(bytes.length), bytes, section.subarray(start + length, end));
    at = end;
  }
  return concat(parts);
}

/** The LEB128 number at `at`, and the position after it. */
function readUnsigned(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at];
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

function concat(parts: (Uint8Array | number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
