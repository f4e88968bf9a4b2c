// Values as blocks in the layout of the component model's canonical ABI: in memory, or flat as the values of a call.

import { discriminant, MAX_FLAT_PARAMS, MAX_FLAT_RESULTS, type Layouts } from "../../core/bindgen/layout.js";
import { camel } from "../../core/bindgen/names.js";
import { resolved } from "../../core/bindgen/spelling.js";
import type { Field, Primitive, Type } from "../../core/bindgen/world.js";
import { AsValues, Block, InMemory, type Form } from "./block.js";

/** A value as jco represents it: a record is an object, a variant is `{ tag, val }`, and so on. */
type Value = unknown;

/** Writes values as blocks. */
export class Blocks {
  constructor(readonly layouts: Layouts) {}

  /** The parameters of a call. If there are too many values, they are in memory, and the call passes their address. */
  parameters(params: Field[], values: Value[]): Block {
    const types = params.map(({ type }) => type);
    return this.#values(types, values, MAX_FLAT_PARAMS);
  }

  /** The result. */
  result(type: Type | undefined, value: Value): Block {
    return this.#values(type ? [type] : [], type ? [value] : [], MAX_FLAT_RESULTS);
  }

  #values(types: Type[], values: Value[], most: number): Block {
    const flats = types.flatMap((type) => this.layouts.flat(type));
    if (flats.length <= most) {
      const form = new AsValues(this.layouts, flats);
      this.#storeAll(form, 0, types, values);
      return form.block;
    }
    const { end } = this.layouts.offsets(types);
    const align = Math.max(...types.map((type) => this.layouts.align(type)));
    const memory = new InMemory(this.layouts, new Block(Math.ceil(end / align) * align, align));
    this.#storeAll(memory, 0, types, values);
    const form = new AsValues(this.layouts, ["i32"]);
    form.block.point(0, memory.block);
    return form.block;
  }

  #storeAll(form: Form, at: number, types: Type[], values: Value[]): void {
    const places = form.fields(types);
    types.forEach((type, i) => this.#store(form, at + places[i]!, type, values[i]));
  }

  #store(form: Form, at: number, type: Type, value: Value): void {
    const found = resolved(this.layouts, type);
    switch (found.kind) {
      case "primitive":
        return this.#primitive(form, at, found.name, value);
      case "list":
        return this.#list(form, at, found.of, value as ArrayLike<Value>);
      case "option":
        return this.#case(form, at, [undefined, found.of], value === undefined ? 0 : 1, value);
      case "result": {
        const { tag, val } = value as Tagged;
        return this.#case(form, at, [found.ok, found.error], indexOf(["ok", "err"], tag), val);
      }
      case "tuple":
        return this.#storeAll(form, at, [found.first, found.second], value as Value[]);
      case "named":
        return this.#named(form, at, found.name, value);
    }
  }

  #named(form: Form, at: number, name: string, value: Value): void {
    const found = this.layouts.definition(name);
    if (found.kind === "alias") throw new Error(`${name} is an alias`);
    if (found.kind === "record") {
      const types = found.fields.map((field) => field.type);
      const values = found.fields.map((field) => (value as Record<string, Value>)[camel(field.name)]);
      return this.#storeAll(form, at, types, values);
    }
    const names = found.cases.map((one) => one.name);
    if (found.kind === "enum") {
      return form.put(at, discriminant(names.length), BigInt(indexOf(names, value as string)));
    }
    const types = found.cases.map((one) => one.type);
    const { tag, val } = value as Tagged;
    this.#case(form, at, types, indexOf(names, tag), val);
  }

  #case(form: Form, at: number, cases: (Type | undefined)[], index: number, value: Value): void {
    form.put(at, discriminant(cases.length), BigInt(index));
    const type = cases[index];
    if (type) this.#store(form, at + form.payload(cases), type, value);
  }

  #primitive(form: Form, at: number, name: Primitive, value: Value): void {
    if (name === "string") return this.#text(form, at, value as string);
    if (name === "f32" || name === "f64" || name === "char") throw new Error(`${name}: the boundary has none so far`);
    const size = this.layouts.size({ kind: "primitive", name });
    form.put(at, size, BigInt(value as number | bigint | boolean));
  }

  /** Strings are in UTF-16, as the core is built for (core/bindgen/componentize.ts). Their length counts code units. */
  #text(form: Form, at: number, value: string): void {
    const block = new Block(2 * value.length, 2);
    block.bytes.set(Buffer.from(value, "utf16le"));
    block.known.fill(1);
    form.list(at, block, value.length);
  }

  #list(form: Form, at: number, type: Type, values: ArrayLike<Value>): void {
    const size = this.layouts.size(type);
    const block = new Block(size * values.length, this.layouts.align(type));
    form.list(at, block, values.length);
    if (values instanceof Uint8Array) {
      block.bytes.set(values);
      block.known.fill(1);
      return;
    }
    const memory = new InMemory(this.layouts, block);
    for (let i = 0; i < values.length; i++) this.#store(memory, size * i, type, values[i]);
  }
}

interface Tagged {
  tag: string;
  val?: Value;
}

function indexOf(names: string[], name: string): number {
  const index = names.indexOf(name);
  if (index < 0) throw new Error(`${name} is none of ${names.join(", ")}`);
  return index;
}
