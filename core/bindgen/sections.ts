// Sections of a module, and the numbers in them (the WebAssembly core specification, 5.5.2, "Sections", and 5.2.2,
// "Integers").

export const EXPORT_SECTION = 7;
export const DATA_SECTION = 11;
export const DATA_COUNT_SECTION = 12;

export interface Section {
  id: number;
  content: Uint8Array;
  /** The content with its id and size before it. */
  whole: Uint8Array;
}

/** The module with what `rewritten` returns in place of each section. */
export function rewriteSections(wasm: Uint8Array, rewritten: (section: Section) => Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length;) {
    const [size, start] = unsignedAt(wasm, at + 1);
    const end = start + size;
    parts.push(rewritten({ id: wasm[at]!, content: wasm.subarray(start, end), whole: wasm.subarray(at, end) }));
    at = end;
  }
  return concat(parts);
}

export function sectionWith(id: number, content: Uint8Array): Uint8Array {
  return concat([[id, ...unsigned(content.length)], content]);
}

/** The LEB128 number at `at`, and the position after it. */
export function unsignedAt(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return [value >>> 0, at];
  }
}

/** A number as LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

export function concat(parts: (Uint8Array | number[])[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
