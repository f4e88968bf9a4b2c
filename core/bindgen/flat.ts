// Generates the code that turns parameters in memory into the flat values of a wasm call, and back.

import { discriminant, type Flat, type Layouts } from "./layout.js";
import { NUMBER } from "./spelling.js";
import type { Type } from "./world.js";

/** A flat value of a call: its name and its wasm type, which may be wider than the part of a variant it carries. */
interface FlatValue {
  name: string;
  flat: Flat;
}

/** `f0: i64, f1: i32` for a call's parameters. */
export function signature(values: FlatValue[]): string {
  return values.map((value) => `${value.name}: ${value.flat}`).join(", ");
}

export function flatValues(layouts: Layouts, params: Type[]): FlatValue[] {
  return params.flatMap((param) => layouts.flat(param)).map((flat, i) => ({ name: `f${i}`, flat }));
}

/** Statements that load the flat values from memory at `base`. */
export function loadFlat(layouts: Layouts, types: Type[], base = "at"): string {
  const values = flatValues(layouts, types);
  const declared = values.map((value) => `  let ${value.name}: ${value.flat} = 0;\n`).join("");
  const leaf: Leaf = (memory, flat, offset, value) =>
    `${value.name} = ${widen(`load<${memory}>(${base}, ${offset})`, flat, value.flat, memory)};`;
  return declared + walkAll(layouts, types, values, leaf);
}

/** Statements that store the flat values of a call into memory at `at`. */
export function storeFlat(layouts: Layouts, params: Type[]): string {
  const leaf: Leaf = (memory, flat, offset, value) =>
    `store<${memory}>(at, ${narrow(value.name, value.flat, flat, memory)}, ${offset});`;
  return walkAll(layouts, params, flatValues(layouts, params), leaf);
}

/** Code for one flat value: its type in memory, its own flat type, its offset, and the value that carries it. */
type Leaf = (memory: string, flat: Flat, offset: number, value: FlatValue) => string;

function walkAll(layouts: Layouts, params: Type[], values: FlatValue[], leaf: Leaf): string {
  const lines: string[] = [];
  walkFields(layouts, params, 0, values, leaf, (line) => lines.push(`  ${line}\n`));
  return lines.join("");
}

type Write = (line: string) => void;

function walk(layouts: Layouts, type: Type, at: number, values: FlatValue[], leaf: Leaf, write: Write): void {
  const shape = layouts.shape(type);
  const [first, second] = values as [FlatValue, FlatValue];
  if (shape.kind === "record") return walkFields(layouts, shape.fields, at, values, leaf, write);
  if (shape.kind === "variant") return walkVariant(layouts, shape.cases, at, values, leaf, write);
  if (shape.kind === "enum") return write(leaf(`u${discriminant(shape.count) * 8}`, "i32", at, first));
  if (shape.kind === "list" || shape.name === "string") {
    write(leaf("u32", "i32", at, first));
    return write(leaf("u32", "i32", at + 4, second));
  }
  const memory = shape.name === "bool" ? "u8" : NUMBER[shape.name];
  write(leaf(memory, layouts.flat(type)[0]!, at, first));
}

function walkFields(layouts: Layouts, all: Type[], at: number, values: FlatValue[], leaf: Leaf, write: Write): void {
  const offsets = layouts.offsets(all);
  let used = 0;
  all.forEach((field, i) => {
    const count = layouts.flat(field).length;
    walk(layouts, field, at + offsets.at[i]!, values.slice(used, used + count), leaf, write);
    used += count;
  });
}

function walkVariant(
  layouts: Layouts,
  cases: (Type | undefined)[],
  at: number,
  values: FlatValue[],
  leaf: Leaf,
  write: Write,
): void {
  const [tag, ...payload] = values as [FlatValue, ...FlatValue[]];
  write(leaf(`u${discriminant(cases.length) * 8}`, "i32", at, tag));
  write(`switch (${tag.name}) {`);
  cases.forEach((one, i) => {
    write(`case ${i}:`);
    if (one) walk(layouts, one, at + layouts.payload(cases), payload, leaf, write);
    write("break;");
  });
  write(`default: throw new Error("a variant has no such case");`);
  write("}");
}

/** Extends the sign of signed numbers: the ABI ignores the upper half, but jco 1.13 reads it as part of the number. */
function widen(value: string, from: Flat, to: Flat, memory: string): string {
  if (from === to) return value;
  if (from === "f64") return `reinterpret<i64>(${value})`;
  if (from === "f32") return to === "i64" ? `<i64>reinterpret<u32>(${value})` : `<i32>reinterpret<u32>(${value})`;
  return memory.startsWith("i") ? `<i64>${value}` : `<i64><u32>${value}`;
}

function narrow(value: string, from: Flat, to: Flat, memory: string): string {
  if (from === to) return to.startsWith("f") ? value : `<${memory}>${value}`;
  if (to === "f64") return `reinterpret<f64>(${value})`;
  if (to === "f32") return `reinterpret<f32>(<u32>${value})`;
  return `<${memory}>${value}`;
}
