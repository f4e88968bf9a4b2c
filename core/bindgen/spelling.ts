// Writes WIT's types in the syntax of AssemblyScript.

import type { Layouts } from "./layout.js";
import { pascal } from "./names.js";
import type { Primitive, Type } from "./world.js";

/** AssemblyScript's names of WIT's numbers. `bool` and `string` have the same names in both. */
export const NUMBER: Record<Exclude<Primitive, "bool" | "string">, string> = {
  u8: "u8",
  s8: "i8",
  u16: "u16",
  s16: "i16",
  u32: "u32",
  s32: "i32",
  u64: "u64",
  s64: "i64",
  f32: "f32",
  f64: "f64",
  char: "u32",
};

/** `option<list<u8>>` → `Uint8Array | null`. */
export function spell(layouts: Layouts, type: Type): string {
  switch (type.kind) {
    case "primitive":
      return type.name === "bool" || type.name === "string" ? type.name : NUMBER[type.name];
    case "named":
      return pascal(type.name);
    case "list":
      return isBytes(layouts, type) ? "Uint8Array" : `Array<${spell(layouts, type.of)}>`;
    case "option":
      return `${spellPart(layouts, type.of)} | null`;
    case "tuple":
      return `Tuple2<${spell(layouts, type.first)}, ${spell(layouts, type.second)}>`;
    case "result":
      return `Result<${spellPart(layouts, type.ok)}, ${spellPart(layouts, type.error)}>`;
  }
}

/** A nullable type: a reference, or a number in a box. */
export function spellPart(layouts: Layouts, type: Type): string {
  if (resolved(layouts, type).kind === "option")
    throw new Error("an option inside an option or a result is not supported");
  return isNumber(layouts, type) ? `Box<${spell(layouts, type)}>` : spell(layouts, type);
}

/** Whether the type is not a reference in AssemblyScript. */
export function isNumber(layouts: Layouts, type: Type): boolean {
  const shape = layouts.shape(type);
  return shape.kind === "enum" || (shape.kind === "primitive" && shape.name !== "string");
}

export function isBytes(layouts: Layouts, type: Type): boolean {
  const found = resolved(layouts, type);
  if (found.kind !== "list") return false;
  const element = layouts.shape(found.of);
  return element.kind === "primitive" && element.name === "u8";
}

/** The type that an alias stands for. */
export function resolved(layouts: Layouts, type: Type): Type {
  if (type.kind !== "named") return type;
  const found = layouts.definition(type.name);
  return found.kind === "alias" ? resolved(layouts, found.type) : type;
}

/** `list<tuple<string, string>>` → `ListOfTupleOfStringAndString`: a name for the functions of an unnamed type. */
export function mangle(layouts: Layouts, type: Type): string {
  const found = resolved(layouts, type);
  switch (found.kind) {
    case "primitive":
    case "named":
      return pascal(found.name);
    case "list":
      return isBytes(layouts, found) ? "Bytes" : `ListOf${mangle(layouts, found.of)}`;
    case "option":
      return `OptionOf${mangle(layouts, found.of)}`;
    case "tuple":
      return `TupleOf${mangle(layouts, found.first)}And${mangle(layouts, found.second)}`;
    case "result":
      return `ResultOf${mangle(layouts, found.ok)}And${mangle(layouts, found.error)}`;
  }
}
