// AssemblyScript objects as text: everything that can be reached from one of them, each object once, in the order in
// which it is met. Memory addresses do not affect the text.

import type { ClassLayout, FieldLayout } from "../../../core/bindgen/classes.js";

/** Fields that hold an operation or a request, and classes whose keys do. */
const OPERATIONS = ["timer", "op"];
const REQUESTS = ["core/assembly/call/Call.id", "build/bindings/types/Request.id"];
const CALL = "core/assembly/call/Call";

/** Before the bytes of an object (rt/common): its class, its size. */
const CLASS_BEFORE = 8;
const SIZE_BEFORE = 4;

/** How to write an object of a class. */
type Kind = (reading: Reading, address: number) => void;

/** How to write a field, an element, an entry. */
interface Slot {
  size: number;
  write: Kind;
}

/** The known classes, by their ids. */
export class Layouts {
  readonly kinds: Kind[] = [];
  readonly #classes: ReadonlyMap<string, ClassLayout>;

  /** `leftOut`: names of fields that are not written, by class. */
  constructor(classes: readonly ClassLayout[], leftOut: Readonly<Record<string, readonly string[]>>) {
    this.#classes = new Map(classes.map((one) => [one.name, one]));
    for (const [name, fields] of Object.entries(leftOut)) for (const field of fields) this.offsetOf(name, field);
    for (const one of classes) this.kinds[one.id] = kindOf(one, leftOut[one.name] ?? []);
  }

  of(name: string): ClassLayout {
    const found = this.#classes.get(name);
    if (found === undefined) throw new Error(`the core has no class ${name}`);
    return found;
  }

  offsetOf(name: string, field: string): number {
    const found = this.of(name).fields.find((one) => one.name === field);
    if (found === undefined) throw new Error(`${name} has no ${field}`);
    return found.offset;
  }
}

/** Reads a memory once, piece by piece. */
export class Reading {
  /** Entries of tables whose order has no meaning: texts or numbers by texts. */
  readonly loose: string[] = [];
  readonly view: DataView;
  #parts: string[] = [];
  readonly #met = new Map<number, number>();

  constructor(
    readonly memory: ArrayBuffer,
    readonly layouts: Layouts,
  ) {
    this.view = new DataView(memory);
  }

  /** The text of an object, without what was met before. */
  textOf(address: number): string {
    this.#parts = [];
    this.object(address);
    return this.#parts.join("");
  }

  write(part: string): void {
    this.#parts.push(part);
  }

  object(address: number): void {
    if (address === 0) return this.write("-");
    const known = this.#met.get(address);
    if (known !== undefined) return this.write(`^${known}`);
    const id = this.view.getUint32(address - CLASS_BEFORE, true);
    if (id !== STRING) this.#met.set(address, this.#met.size);
    const kind = this.layouts.kinds[id];
    if (kind === undefined) throw new Error(`an object of class ${id}, which is not known`);
    kind(this, address);
  }

  uint32(address: number): number {
    return this.view.getUint32(address, true);
  }

  string(address: number): string {
    return Buffer.from(this.memory, address, this.uint32(address - SIZE_BEFORE)).toString("utf16le");
  }

  /** Addresses of key and value of each entry of a map, in the order of insertion. */
  *entries(address: number, { value, link, size }: EntryLayout): Generator<[number, number]> {
    const [first, used] = [this.uint32(address + 8), this.uint32(address + 16)];
    for (let at = first; at < first + used * size; at += size) {
      const isDeleted = (this.uint32(at + link) & 1) === 1;
      if (!isDeleted) yield [at, at + value];
    }
  }

  putAside(parts: () => void): void {
    const before = this.#parts;
    this.#parts = [];
    parts();
    this.loose.push(this.#parts.join(""));
    this.#parts = before;
  }
}

/** Its id in every program (AssemblyScript: std/assembly/rt). */
const STRING = 2;

function kindOf({ name, fields }: ClassLayout, leftOut: readonly string[]): Kind {
  const [, generic = "", parameters = ""] = /^~lib\/(\w+)\/\w+<(.*)>$/s.exec(name) ?? [];
  if (name === "~lib/string/String")
    return (reading, address) => reading.write(JSON.stringify(reading.string(address)));
  if (name === "~lib/typedarray/Uint8Array") return bytes;
  if (generic === "array") return listOf(slotOf(parameters));
  if (generic === "map") return mapOf(parameters);
  if (generic === "function") return (reading, address) => reading.write(`fn${reading.uint32(address)}`);
  return record(
    name,
    fields.filter((field) => !leftOut.includes(field.name)),
  );
}

function record(name: string, fields: readonly FieldLayout[]): Kind {
  const slots = fields.map((field) => ({ ...field, slot: fieldSlot(name, field) }));
  const short = name.slice(name.lastIndexOf("/") + 1);
  return (reading, address) => {
    reading.write(`${short}(`);
    for (const { offset, slot } of slots) {
      slot.write(reading, address + offset);
      reading.write(",");
    }
    reading.write(")");
  };
}

function fieldSlot(owner: string, { name, type }: FieldLayout): Slot {
  if (type === "u64" && OPERATIONS.includes(name)) return OPERATION;
  return REQUESTS.includes(`${owner}.${name}`) ? REQUEST : slotOf(type);
}

/** View: buffer, start of its data, its bytes. */
function bytes(reading: Reading, address: number): void {
  const part = Buffer.from(reading.memory, reading.uint32(address + 4), reading.uint32(address + 8));
  reading.write(JSON.stringify(part.toString("latin1")));
}

/** Array: buffer, start of its data, its bytes, elements. */
function listOf(slot: Slot): Kind {
  return (reading, address) => {
    const [start, length] = [reading.uint32(address + 4), reading.uint32(address + 12)];
    reading.write("[");
    for (let at = 0; at < length; at++) {
      slot.write(reading, start + at * slot.size);
      reading.write(",");
    }
    reading.write("]");
  };
}

function mapOf(parameters: string): Kind {
  const [key, value] = slotsOf(parameters);
  const layout = entryLayout(key.size, value.size);
  const isPlain = value !== REFERENCE || parameters.endsWith("~lib/string/String");
  return (reading, address) => {
    reading.write("{");
    for (const [keyAt, valueAt] of reading.entries(address, layout)) {
      const entry = (): void => {
        key.write(reading, keyAt);
        reading.write(":");
        value.write(reading, valueAt);
      };
      if (isPlain) reading.putAside(entry);
      else entry();
      reading.write(",");
    }
    reading.write("}");
  };
}

/** The layout of a map's entry: its key is first; one bit of its link says whether it was deleted. */
export interface EntryLayout {
  value: number;
  link: number;
  size: number;
}

/** Sizes in bytes. */
export function entryLayout(key: number, value: number): EntryLayout {
  const valueAt = align(key, value);
  const link = align(valueAt + value, 4);
  return { value: valueAt, link, size: align(link + 4, Math.max(key, value, 4)) };
}

/** A key is never a class with parameters of its own. */
function slotsOf(parameters: string): [Slot, Slot] {
  const comma = parameters.indexOf(",");
  const [key, value] = [parameters.slice(0, comma), parameters.slice(comma + 1)];
  return [key === "u64" && value === CALL ? REQUEST : slotOf(key), slotOf(value)];
}

function align(offset: number, to: number): number {
  return Math.ceil(offset / to) * to;
}

function number(size: number, read: (view: DataView, address: number) => number | bigint): Slot {
  return { size, write: (reading, address) => reading.write(String(read(reading.view, address))) };
}

/** An operation is written `@N`, a request `%N`. */
const OPERATION = named("@");
const REQUEST = named("%");

function named(sign: string): Slot {
  return { size: 8, write: (reading, at) => reading.write(`${sign}${reading.view.getBigUint64(at, true)}`) };
}

const NUMBERS: Readonly<Record<string, Slot>> = {
  bool: number(1, (view, at) => view.getUint8(at)),
  u8: number(1, (view, at) => view.getUint8(at)),
  i8: number(1, (view, at) => view.getInt8(at)),
  u16: number(2, (view, at) => view.getUint16(at, true)),
  i16: number(2, (view, at) => view.getInt16(at, true)),
  u32: number(4, (view, at) => view.getUint32(at, true)),
  i32: number(4, (view, at) => view.getInt32(at, true)),
  u64: number(8, (view, at) => view.getBigUint64(at, true)),
  i64: number(8, (view, at) => view.getBigInt64(at, true)),
  f64: number(8, (view, at) => view.getFloat64(at, true)),
};
const REFERENCE: Slot = { size: 4, write: (reading, address) => reading.object(reading.uint32(address)) };

function slotOf(type: string): Slot {
  return NUMBERS[type] ?? REFERENCE;
}
