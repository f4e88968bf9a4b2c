// Reads WIT, as far as worlds of plain data need it. jco validates the same text, so this reader checks only what it
// must understand, and refuses by name what the generator does not support.

import type { Case, Definition, Field, Func, Interface, Primitive, Type, World } from "./world.js";

/** Reads one package. The text with the `package` line comes first. Throws an error that has the line's number. */
export function readWit(source: string): World {
  return new Reader(source).world();
}

const PRIMITIVES = new Set("bool u8 s8 u16 s16 u32 s32 u64 s64 f32 f64 char string".split(" "));
const TOKEN = /\s+|\/\/\/[ ]?([^\n]*)|\/\/[^\n]*|(%?[A-Za-z][\w-]*|->|[{}()<>:;,=./@*_])/gy;

interface Token {
  text: string;
  doc: string[];
  line: number;
}

function tokens(source: string): Token[] {
  const all: Token[] = [];
  let doc: string[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const match = TOKEN.exec(source);
    if (!match) throw new Error(`WIT line ${line}: cannot read this line`);
    if (match[1] !== undefined) doc.push(match[1].trimEnd());
    if (match[2] !== undefined) {
      all.push({ text: match[2].replace("%", ""), doc, line });
      doc = [];
    }
    line += match[0].split("\n").length - 1;
  }
  return all;
}

class Reader {
  readonly #tokens: Token[];
  #at = 0;
  readonly #world: World = {
    package: "",
    name: "",
    imports: [],
    exports: [],
    interfaces: new Map(),
    types: new Map(),
  };

  constructor(source: string) {
    this.#tokens = tokens(source);
  }

  world(): World {
    this.#expect("package");
    this.#world.package = `${this.#next()}${this.#expect(":")}${this.#next()}`;
    this.#expect(";");
    while (this.#at < this.#tokens.length) {
      const word = this.#next();
      if (word === "interface") this.#interface();
      else if (word === "world") this.#worldItems();
      else throw this.#unknown(word);
    }
    for (const type of this.#world.types.values()) this.#checkNames(type);
    for (const name of this.#world.imports) this.#checkImport(name);
    return this.#world;
  }

  #worldItems(): void {
    this.#world.name = this.#next();
    this.#expect("{");
    while (!this.#take("}")) {
      const word = this.#next();
      if (word !== "import" && word !== "export") throw this.#unknown(word);
      this.#world[word === "import" ? "imports" : "exports"].push(this.#next());
      this.#expect(";");
    }
  }

  #interface(): void {
    const found: Interface = { name: this.#next(), functions: [] };
    this.#world.interfaces.set(found.name, found);
    this.#expect("{");
    while (!this.#take("}")) this.#item(found);
  }

  #item(into: Interface): void {
    const doc = this.#doc();
    const word = this.#next();
    if (word === "use") return this.#use();
    const name = this.#next();
    const said = { name, doc, interface: into.name };
    if (word === "type") this.#define({ kind: "alias", ...said, type: this.#aliased() });
    else if (word === "record") this.#define({ kind: "record", ...said, fields: this.#fields("{", "}") });
    else if (word === "enum" || word === "variant") this.#define({ kind: word, ...said, cases: this.#cases() });
    else if (name === ":" && this.#take("func")) into.functions.push(this.#func(word, doc));
    else throw this.#unknown(word);
  }

  /** All names are in one flat namespace, so the source of a name does not matter. */
  #use(): void {
    while (!this.#take(";")) this.#at++;
  }

  #aliased(): Type {
    this.#expect("=");
    const type = this.#type();
    this.#expect(";");
    return type;
  }

  #func(name: string, doc: string[]): Func {
    const params = this.#fields("(", ")");
    const line = this.#tokens[this.#at - 1]!.line;
    const result = this.#take("->") ? this.#type() : undefined;
    this.#expect(";");
    return { name, doc, line, params, ...(result && { result }) };
  }

  #fields(open: string, close: string): Field[] {
    return this.#sequence(open, close, () => {
      const doc = this.#doc();
      const name = this.#next();
      this.#expect(":");
      return { name, doc, type: this.#type() };
    });
  }

  #cases(): Case[] {
    return this.#sequence("{", "}", () => {
      const doc = this.#doc();
      const name = this.#next();
      if (!this.#take("(")) return { name, doc };
      const type = this.#type();
      this.#expect(")");
      return { name, doc, type };
    });
  }

  #sequence<Item>(open: string, close: string, read: () => Item): Item[] {
    const all: Item[] = [];
    this.#expect(open);
    while (!this.#take(close)) {
      all.push(read());
      if (!this.#take(",")) {
        this.#expect(close);
        break;
      }
    }
    return all;
  }

  #type(): Type {
    const name = this.#next();
    if (name === "list" || name === "option") return { kind: name, of: this.#arguments(1)[0]! };
    if (name === "tuple" || name === "result") {
      const [left, right] = this.#arguments(2) as [Type, Type];
      return name === "tuple" ? { kind: name, first: left, second: right } : { kind: name, ok: left, error: right };
    }
    if (PRIMITIVES.has(name)) return { kind: "primitive", name: name as Primitive };
    return { kind: "named", name };
  }

  #arguments(count: number): Type[] {
    const all = this.#sequence("<", ">", () => this.#type());
    if (all.length !== count) throw this.#error(`expected ${count} type(s), not ${all.length}`);
    return all;
  }

  #define(definition: Definition): void {
    if (this.#world.types.has(definition.name)) throw this.#error(`type ${definition.name} is defined twice`);
    this.#world.types.set(definition.name, definition);
  }

  #checkImport(name: string): void {
    const found = this.#world.interfaces.get(name)?.functions.find((func) => func.result);
    if (found) {
      throw new Error(
        `WIT line ${found.line}: function ${found.name} returns a value, but information may enter only through inputs`,
      );
    }
  }

  #checkNames(definition: Definition): void {
    const inside =
      definition.kind === "record"
        ? definition.fields.map((field) => field.type)
        : definition.kind === "alias"
          ? [definition.type]
          : definition.cases.flatMap((one) => one.type ?? []);
    for (const type of inside) this.#checkType(definition.name, type);
  }

  #checkType(where: string, type: Type): void {
    if (type.kind === "named" && !this.#world.types.has(type.name)) {
      throw new Error(`WIT type ${where}: ${type.name} is not defined`);
    }
    if (type.kind === "list" || type.kind === "option") this.#checkType(where, type.of);
    if (type.kind === "tuple") [type.first, type.second].forEach((part) => this.#checkType(where, part));
    if (type.kind === "result") [type.ok, type.error].forEach((part) => this.#checkType(where, part));
  }

  #doc(): string[] {
    return this.#tokens[this.#at]?.doc ?? [];
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (!token) throw this.#error("unexpected end of the text");
    return token.text;
  }

  #take(text: string): boolean {
    if (this.#tokens[this.#at]?.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): string {
    const found = this.#next();
    if (found !== text) throw this.#error(`expected "${text}", not "${found}"`);
    return found;
  }

  #unknown(word: string): Error {
    return this.#error(`this generator does not support "${word}"`);
  }

  #error(message: string): Error {
    return new Error(`WIT line ${(this.#tokens[this.#at - 1] ?? this.#tokens.at(-1))?.line}: ${message}`);
  }
}
