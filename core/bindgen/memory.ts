// Generates, for every type, the code that reads it from memory (lift) and writes it to memory (lower), with the
// layout of the canonical ABI.

import { discriminant, type Layouts } from "./layout.js";
import { camel, pascal } from "./names.js";
import { isBytes, isNumber, mangle, NUMBER, resolved, spell, spellPart } from "./spelling.js";
import type { Case, Field, Type } from "./world.js";

/** Collects the functions that the requested expressions call. */
export class MemoryWriter {
  readonly #layouts: Layouts;
  readonly #lifts = new Map<string, string>();
  readonly #lowers = new Map<string, string>();

  constructor(layouts: Layouts) {
    this.#layouts = layouts;
  }

  lifts(): string[] {
    return [...this.#lifts.values()];
  }

  lowers(): string[] {
    return [...this.#lowers.values()];
  }

  /** An expression that reads a value at `base` + `offset`. */
  lift(type: Type, base: string, offset: number): string {
    const shape = this.#layouts.shape(type);
    if (shape.kind === "enum") return `<${pascal(shape.name)}>load<${unsigned(shape.count)}>(${base}, ${offset})`;
    if (shape.kind !== "primitive") return `${this.#function("lift", type)}(${base} + ${offset})`;
    if (shape.name === "string") return `liftString(${base} + ${offset})`;
    if (shape.name === "bool") return `load<u8>(${base}, ${offset}) != 0`;
    return `load<${NUMBER[shape.name]}>(${base}, ${offset})`;
  }

  /** A statement that writes `value` at `base` + `offset`. */
  lower(type: Type, base: string, offset: number, value: string): string {
    const shape = this.#layouts.shape(type);
    if (shape.kind === "enum") return `store<${unsigned(shape.count)}>(${base}, ${value}, ${offset});`;
    if (shape.kind !== "primitive") return `${this.#function("lower", type)}(${base} + ${offset}, ${value});`;
    if (shape.name === "string") return `lowerString(${base} + ${offset}, ${value});`;
    return `store<${shape.name === "bool" ? "bool" : NUMBER[shape.name]}>(${base}, ${value}, ${offset});`;
  }

  /** The name of the function for a compound type. Generates the function on the first call. */
  #function(direction: "lift" | "lower", type: Type): string {
    const name = `${direction}${mangle(this.#layouts, type)}`;
    const written = direction === "lift" ? this.#lifts : this.#lowers;
    if (isBytes(this.#layouts, type) || written.has(name)) return name;
    written.set(name, "");
    const spelled = spell(this.#layouts, type);
    const [body, signature] =
      direction === "lift"
        ? [this.#liftBody(type), `(at: usize): ${spelled}`]
        : [this.#lowerBody(type), `(at: usize, value: ${spelled}): void`];
    written.set(name, `export function ${name}${signature} {\n${body}}\n`);
    return name;
  }

  #liftBody(type: Type): string {
    const found = resolved(this.#layouts, type);
    const spelled = spell(this.#layouts, found);
    if (found.kind === "list") return this.#liftList(found.of, spelled);
    if (found.kind === "tuple") return this.#liftFields([found.first, found.second], spelled);
    if (found.kind === "option") {
      const part = this.#liftPart(found.of, this.#layouts.payload([found.of]));
      return `  return load<u8>(at) ? ${part} : null;\n`;
    }
    if (found.kind === "result") {
      const offset = this.#layouts.payload([found.ok, found.error]);
      const ok = this.#liftPart(found.ok, offset);
      const error = this.#liftPart(found.error, offset);
      return `  if (load<u8>(at)) return new ${spelled}(null, ${error});\n  return new ${spelled}(${ok}, null);\n`;
    }
    const definition = this.#layouts.definition((found as { name: string }).name);
    if (definition.kind === "variant") return this.#liftVariant(definition.name, definition.cases);
    return this.#liftFields((definition as { fields: Field[] }).fields.map((field) => field.type), spelled); // prettier-ignore
  }

  #liftList(element: Type, spelled: string): string {
    return `  const length = <i32>load<u32>(at, 4);
  const list = new ${spelled}(length);
  let from: usize = load<u32>(at);
  for (let i = 0; i < length; i++) {
    unchecked((list[i] = ${this.lift(element, "from", 0)}));
    from += ${this.#layouts.size(element)};
  }
  return list;
`;
  }

  #liftFields(fields: Type[], spelled: string): string {
    const { at } = this.#layouts.offsets(fields);
    return `  return new ${spelled}(${fields.map((field, i) => this.lift(field, "at", at[i]!)).join(", ")});\n`;
  }

  #liftPart(type: Type, offset: number): string {
    const value = this.lift(type, "at", offset);
    return isNumber(this.#layouts, type) ? `new ${spellPart(this.#layouts, type)}(${value})` : value;
  }

  #liftVariant(name: string, cases: Case[]): string {
    const spelled = pascal(name);
    const offset = this.#layouts.payload(cases.map((one) => one.type));
    const arms = cases.map((one, i) => {
      const made = one.type
        ? `new ${spelled}${pascal(one.name)}(${this.lift(one.type, "at", offset)})`
        : `new ${spelled}(${spelled}Tag.${pascal(one.name)})`;
      return `    case ${i}:\n      return ${made};\n`;
    });
    const tag = `load<${unsigned(cases.length)}>(at)`;
    return `  switch (${tag}) {\n${arms.join("")}  }\n  throw new Error("${name} has no such case");\n`;
  }

  #lowerBody(type: Type): string {
    const found = resolved(this.#layouts, type);
    if (found.kind === "list") return this.#lowerList(found.of);
    if (found.kind === "tuple") return this.#lowerFields([found.first, found.second], ["first", "second"]);
    if (found.kind === "option") {
      const part = this.#lowerPart(found.of, this.#layouts.payload([found.of]), "value");
      return `  store<bool>(at, value !== null);\n  if (value !== null) ${part}\n`;
    }
    if (found.kind === "result") return this.#lowerResult(found.ok, found.error);
    const definition = this.#layouts.definition((found as { name: string }).name);
    if (definition.kind === "variant") return this.#lowerVariant(definition.name, definition.cases);
    const { fields } = definition as { fields: Field[] };
    return this.#lowerFields(fields.map((field) => field.type), fields.map((field) => camel(field.name))); // prettier-ignore
  }

  #lowerList(element: Type): string {
    const size = this.#layouts.size(element);
    return `  const length = value.length;
  let to = allocate(length * ${size});
  store<u32>(at, to);
  store<u32>(at, length, 4);
  for (let i = 0; i < length; i++) {
    ${this.lower(element, "to", 0, "value[i]")}
    to += ${size};
  }
`;
  }

  #lowerFields(fields: Type[], names: string[]): string {
    const { at } = this.#layouts.offsets(fields);
    return fields.map((field, i) => `  ${this.lower(field, "at", at[i]!, `value.${names[i]}`)}\n`).join("");
  }

  #lowerPart(type: Type, offset: number, value: string): string {
    return this.lower(type, "at", offset, isNumber(this.#layouts, type) ? `${value}.value` : value);
  }

  #lowerResult(ok: Type, error: Type): string {
    const offset = this.#layouts.payload([ok, error]);
    return `  const ok = value.ok;
  const error = value.error;
  if ((ok === null) == (error === null)) throw new Error("a result has exactly one side");
  store<bool>(at, ok === null);
  if (ok !== null) ${this.#lowerPart(ok, offset, "ok")}
  if (error !== null) ${this.#lowerPart(error, offset, "error")}
`;
  }

  /** The cast is checked: a variant whose tag and class differ traps. */
  #lowerVariant(name: string, cases: Case[]): string {
    const spelled = pascal(name);
    const offset = this.#layouts.payload(cases.map((one) => one.type));
    const arms = cases.map((one) => {
      if (!one.type) return `    case ${spelled}Tag.${pascal(one.name)}:\n      break;\n`;
      const value = `(<${spelled}${pascal(one.name)}>value).value`;
      return `    case ${spelled}Tag.${pascal(one.name)}:\n      ${this.lower(one.type, "at", offset, value)}\n      break;\n`;
    });
    const tag = `store<${unsigned(cases.length)}>(at, value.tag);`;
    return `  ${tag}\n  switch (value.tag) {\n${arms.join("")}    default:\n      throw new Error("${name} has no such case");\n  }\n`;
  }
}

function unsigned(cases: number): string {
  return `u${discriminant(cases) * 8}`;
}
