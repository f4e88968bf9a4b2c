// Generates the module with which hosts write values of the boundary as text and read them back. It has a codec for
// each of the given types and for each type that they contain. The imported basic codecs define the text form.

import { Layouts } from "./layout.js";
import { camel, pascal, variable } from "./names.js";
import { isBytes, resolved } from "./spelling.js";
import type { Definition, Field, Type, World } from "./world.js";

export interface CodecOptions {
  /** The import path of the module with the basic codecs (`text`, `u32`, `record`, `list`, …). */
  from: string;
  /** The types that need a codec. The types that they contain are added. */
  types: readonly string[];
  /** Fields of records whose text is often the same as before: `request.headers`. */
  recurring?: readonly string[];
}

/** The source of the module. Its place is next to the folder with the interfaces' types. */
export function writeCodecs(world: World, options: CodecOptions): string {
  return new Writer(world, options).module();
}

class Writer {
  readonly #layouts: Layouts;
  /** By name, each after those that it uses. */
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
    for (const field of this.#recurring) throw new Error(`these types have no text field ${field}`);
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
        throw new Error("an option outside a record's field cannot be encoded");
    }
  }

  /** In the hosts' types, lists of numbers are typed arrays, each with its own codec: `u32s`. */
  #list(list: Type, items: Type): string {
    if (isBytes(this.#layouts, list)) return "codec.bytes";
    const item = resolved(this.#layouts, items);
    const isNumber = item.kind === "primitive" && /^[usf]\d/.test(item.name);
    return isNumber ? `codec.${item.name}s` : `codec.list(${this.#of(items)})`;
  }
}
