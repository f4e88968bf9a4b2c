// Computes the sizes, alignments and flat forms of types, as the component model's canonical ABI defines them
// (CanonicalABI.md, "Alignment", "Element Size", "Flattening").

import type { Definition, Primitive, Type, World } from "./world.js";

export type Flat = "i32" | "i64" | "f32" | "f64";

/** The form of a type after its names are resolved. */
export type Shape =
  | { kind: "primitive"; name: Primitive }
  | { kind: "list"; of: Type }
  | { kind: "record"; name?: string; fields: Type[] }
  | { kind: "enum"; name: string; count: number }
  | { kind: "variant"; name?: string; cases: (Type | undefined)[] };

/** More flat values than this are passed by a pointer to memory. */
export const MAX_FLAT_PARAMS = 16;
/** More flat values than this are returned by a pointer to memory. */
export const MAX_FLAT_RESULTS = 1;

const PRIMITIVE: Record<Primitive, { size: number; align: number; flat: Flat[] }> = {
  bool: { size: 1, align: 1, flat: ["i32"] },
  u8: { size: 1, align: 1, flat: ["i32"] },
  s8: { size: 1, align: 1, flat: ["i32"] },
  u16: { size: 2, align: 2, flat: ["i32"] },
  s16: { size: 2, align: 2, flat: ["i32"] },
  u32: { size: 4, align: 4, flat: ["i32"] },
  s32: { size: 4, align: 4, flat: ["i32"] },
  u64: { size: 8, align: 8, flat: ["i64"] },
  s64: { size: 8, align: 8, flat: ["i64"] },
  f32: { size: 4, align: 4, flat: ["f32"] },
  f64: { size: 8, align: 8, flat: ["f64"] },
  char: { size: 4, align: 4, flat: ["i32"] },
  string: { size: 8, align: 4, flat: ["i32", "i32"] },
};

export class Layouts {
  constructor(readonly world: World) {}

  shape(type: Type): Shape {
    switch (type.kind) {
      case "primitive":
      case "list":
        return type;
      case "option":
        return { kind: "variant", cases: [undefined, type.of] };
      case "result":
        return { kind: "variant", cases: [type.ok, type.error] };
      case "tuple":
        return { kind: "record", fields: [type.first, type.second] };
      case "named":
        return this.#defined(this.definition(type.name));
    }
  }

  definition(name: string): Definition {
    const found = this.world.types.get(name);
    if (!found) throw new Error(`WIT type ${name} is not defined`);
    return found;
  }

  size(type: Type): number {
    const shape = this.shape(type);
    if (shape.kind === "primitive") return PRIMITIVE[shape.name].size;
    if (shape.kind === "list") return 8;
    if (shape.kind === "enum") return discriminant(shape.count);
    if (shape.kind === "record") return roundUp(this.offsets(shape.fields).end, this.align(type));
    const payload = Math.max(0, ...shape.cases.map((one) => (one ? this.size(one) : 0)));
    return roundUp(this.payload(shape.cases) + payload, this.align(type));
  }

  align(type: Type): number {
    const shape = this.shape(type);
    if (shape.kind === "primitive") return PRIMITIVE[shape.name].align;
    if (shape.kind === "list") return 4;
    if (shape.kind === "enum") return discriminant(shape.count);
    if (shape.kind === "record") return Math.max(1, ...shape.fields.map((field) => this.align(field)));
    return Math.max(discriminant(shape.cases.length), this.#payloadAlign(shape.cases));
  }

  /** The offsets of the parts of a record, tuple or parameter list. `end` is the offset after the last part. */
  offsets(fields: Type[]): { at: number[]; end: number } {
    const at: number[] = [];
    let end = 0;
    for (const field of fields) {
      const start = roundUp(end, this.align(field));
      at.push(start);
      end = start + this.size(field);
    }
    return { at, end };
  }

  /** The offset of a variant's payload, which follows its discriminant. */
  payload(cases: (Type | undefined)[]): number {
    return roundUp(discriminant(cases.length), this.#payloadAlign(cases));
  }

  flat(type: Type): Flat[] {
    const shape = this.shape(type);
    if (shape.kind === "primitive") return PRIMITIVE[shape.name].flat;
    if (shape.kind === "list") return ["i32", "i32"];
    if (shape.kind === "enum") return ["i32"];
    if (shape.kind === "record") return shape.fields.flatMap((field) => this.flat(field));
    return ["i32", ...this.#joined(shape.cases)];
  }

  #joined(cases: (Type | undefined)[]): Flat[] {
    const all: Flat[] = [];
    for (const one of cases) {
      const flat = one ? this.flat(one) : [];
      flat.forEach((value, i) => (all[i] = all[i] === undefined ? value : join(all[i], value)));
    }
    return all;
  }

  #payloadAlign(cases: (Type | undefined)[]): number {
    return Math.max(1, ...cases.map((one) => (one ? this.align(one) : 1)));
  }

  #defined(found: Definition): Shape {
    switch (found.kind) {
      case "alias":
        return this.shape(found.type);
      case "record":
        return { kind: "record", name: found.name, fields: found.fields.map((field) => field.type) };
      case "enum":
        return { kind: "enum", name: found.name, count: found.cases.length };
      case "variant":
        return { kind: "variant", name: found.name, cases: found.cases.map((one) => one.type) };
    }
  }
}

/** The size in bytes of a discriminant for this many cases. */
export function discriminant(cases: number): number {
  return cases <= 0x100 ? 1 : cases <= 0x10000 ? 2 : 4;
}

function join(a: Flat, b: Flat): Flat {
  if (a === b) return a;
  return (a === "i32" && b === "f32") || (a === "f32" && b === "i32") ? "i32" : "i64";
}

function roundUp(offset: number, align: number): number {
  return Math.ceil(offset / align) * align;
}
