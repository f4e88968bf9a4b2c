// The generator's model of a WIT world.

export type Primitive =
  | "bool" | "u8" | "s8" | "u16" | "s16" | "u32" | "s32" | "u64" | "s64" | "f32" | "f64" | "char" | "string"; // prettier-ignore

export type Type =
  | { kind: "primitive"; name: Primitive }
  | { kind: "named"; name: string }
  | { kind: "list"; of: Type }
  | { kind: "option"; of: Type }
  | { kind: "tuple"; first: Type; second: Type }
  | { kind: "result"; ok: Type; error: Type };

export interface Field {
  name: string;
  doc: string[];
  type: Type;
}

export interface Case {
  name: string;
  doc: string[];
  type?: Type;
}

export type Definition = { name: string; doc: string[]; interface: string } & (
  | { kind: "alias"; type: Type }
  | { kind: "record"; fields: Field[] }
  | { kind: "enum"; cases: Case[] }
  | { kind: "variant"; cases: Case[] }
);

export interface Func {
  name: string;
  doc: string[];
  /** Its line in the text. */
  line: number;
  params: Field[];
  /** Only exported functions may have one. */
  result?: Type;
}

export interface Interface {
  name: string;
  functions: Func[];
}

/** One world with all interfaces of its package. Type names are one flat namespace over all interfaces. */
export interface World {
  /** `coracle:engine`. */
  package: string;
  name: string;
  imports: string[];
  exports: string[];
  interfaces: Map<string, Interface>;
  types: Map<string, Definition>;
}
