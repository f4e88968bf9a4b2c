// Writes the module by which hosts put values of the boundary down as text and read them again: a codec for each type that
// some types are made of. What the text is like is the business of the codecs that they are put together from.

import { Layouts } from "./layout.js";
import { camel, pascal, variable } from "./names.js";
import { isBytes, resolved } from "./spelling.js";
import type { Definition, Field, Type, World } from "./world.js";

export interface CodecOptions {
  /** The module of codecs to put others together from (`text`, `u32`, `record`, `list`, …), as an import path. */
  from: string;
  /** Types that are written down. Those that they are made of follow from them. */
  types: readonly string[];
  /** Records' fields that are the same text time and again: `request.headers`. */
  recurring?: readonly string[];
}

/** The text of the module, which belongs beside the folder of the interfaces' types. */
export function writeCodecs(world: World, options: CodecOptions): string {
  return new Writer(world, options).module();
}

class Writer {
  readonly #layouts: Layouts;
  /** By name, each behind those that it is made of. */
  readonly #written = new Map<string, string>();
  readonly #interfaces = new Set<string>();
  readonly #recurring: Set<string>;

  constructor(
    readonly world: World,
    readonly options: CodecOptions,
  ) {
    this.#layouts = new Layouts(world);
    this.#recurring = new Set(options.recurring);
  }

  module(): string {
    for (const name of this.options.types) this.#define(this.#layouts.definition(name));
    for (const field of this.#recurring) throw new Error(`no field of these types is a text ${field}`);
    const imports = [...this.#interfaces].sort().map((name) => {
      const file = `${this.world.package.replace(":", "-")}-${name}`;
      return `import type * as ${pascal(name)} from "./interfaces/${file}.js";\n`;
    });
    const header = "// Generated from the WIT world by core/bindgen.\n\n";
    const from = `import * as codec from "${this.options.from}";\n`;
    return `${header}${imports.join("")}${from}\n${[...this.#written.values()].join("\n")}`;
  }

  #define(one: Definition): void {
    if (this.#written.has(one.name)) return;
    const text = this.#codecOf(one);
    if (one.kind !== "alias") this.#interfaces.add(one.interface);
    this.#written.set(one.name, `export const ${variable(one.name)} = ${text};\n`);
  }

  #codecOf(one: Definition): string {
    const made = (by: string, members: string[]): string =>
      `codec.${by}<${pascal(one.interface)}.${pascal(one.name)}>({\n${members.join("")}})`;
    switch (one.kind) {
      case "alias":
        return this.#of(one.type);
      case "enum":
        return made(
          "enumeration",
          one.cases.map(({ name }) => `  "${name}": true,\n`),
        );
      case "record":
        return made(
          "record",
          one.fields.map((field) => `  ${camel(field.name)}: ${this.#field(one.name, field)},\n`),
        );
      case "variant":
        return made(
          "variant",
          one.cases.map(({ name, type }) => `  "${name}": ${type ? this.#of(type) : "null"},\n`),
        );
    }
  }

  #field(of: string, { name, type }: Field): string {
    const found = resolved(this.#layouts, type);
    if (found.kind === "option") return `codec.optional(${this.#of(found.of)})`;
    const isText = found.kind === "primitive" && found.name === "string";
    return isText && this.#recurring.delete(`${of}.${name}`) ? "codec.recurring()" : this.#of(found);
  }

  #of(type: Type): string {
    const found = resolved(this.#layouts, type);
    switch (found.kind) {
      case "primitive":
        return found.name === "string" ? "codec.text" : `codec.${found.name}`;
      case "named":
        this.#define(this.#layouts.definition(found.name));
        return variable(found.name);
      case "list":
        return this.#list(found, found.of);
      case "tuple":
        return `codec.pair(${this.#of(found.first)}, ${this.#of(found.second)})`;
      case "result":
        return `codec.result(${this.#of(found.ok)}, ${this.#of(found.error)})`;
      case "option":
        throw new Error("an option that is no field of a record cannot be written down");
    }
  }

  /** The hosts' types have lists of numbers as arrays of their own, each with its codec: `u32s`. */
  #list(list: Type, items: Type): string {
    if (isBytes(this.#layouts, list)) return "codec.bytes";
    const item = resolved(this.#layouts, items);
    const isNumber = item.kind === "primitive" && /^[usf]\d/.test(item.name);
    return isNumber ? `codec.${item.name}s` : `codec.list(${this.#of(items)})`;
  }
}
