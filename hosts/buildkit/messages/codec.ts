// Messages as bytes (protobuf, proto3) and as JSON. In JSON, absent fields are left out; an int64 is a number, or a
// string if a number cannot hold it; a time is RFC 3339 with up to nine decimals.

import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { fromBase64, toBase64 } from "../../shared/index.js";
import type { Field, FieldType, Message } from "./field.js";
import { readTime, writeTime } from "./time.js";

export type Fields = Record<string, unknown>;

/** A message may hold others up to this depth. The deepest that we know has six. */
const DEEPEST = 32;
/** Values in a message, at any depth. An empty one takes two bytes, and far more as an object. */
const MOST_VALUES = 100_000;

/** The message has more values than `MOST_VALUES`. */
export class TooManyValues extends RangeError {}

/** Throws if the bytes are no message. */
export function decode(message: Message, bytes: Uint8Array): Fields {
  return decodeInto({}, message, bytes, { values: 0, depth: 0 });
}

/** How much of the limits is used up. */
interface Extent {
  values: number;
  depth: number;
}

/** A message that comes in several parts is made of all of them (protobuf, Encoding, Last One Wins). */
function decodeInto(fields: Fields, message: Message, bytes: Uint8Array, extent: Extent): Fields {
  if (++extent.depth > DEEPEST) throw new RangeError("messages are nested too deeply");
  const named = namesOf(message);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const name = named.get(number);
    const field = name === undefined ? undefined : message[name];
    if (name === undefined || field === undefined || !fits(field, wire)) reader.skip(wire, number);
    else take(fields, name, field, { reader, wire, extent });
  }
  extent.depth -= 1;
  return fields;
}

/** Throws if a value does not have the type of its field. */
export function encode(message: Message, fields: Fields): Uint8Array {
  const writer = new BinaryWriter();
  for (const [name, field] of Object.entries(message)) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    if (field.as === "many") for (const item of value as unknown[]) write(writer, field, item);
    else if (field.as === "map") writeMap(writer, field, value as Fields);
    else write(writer, field, value);
  }
  return writer.finish();
}

interface Place {
  reader: BinaryReader;
  wire: WireType;
  extent: Extent;
}

function take(fields: Fields, name: string, field: Field, place: Place): void {
  const { reader, wire, extent } = place;
  if (field.as === "map") {
    count(extent);
    const entry = decodeInto({}, entryOf(field), reader.bytes(), extent);
    const values = (fields[name] ??= Object.create(null)) as Fields;
    values[String(entry.key ?? "")] = entry.value ?? emptyOf(field.type);
    return;
  }
  if (field.as !== "many") {
    fields[name] = read(reader, field.type, extent, fields[name]);
    return;
  }
  const items = (fields[name] ??= []) as unknown[];
  if (wire !== WireType.LengthDelimited || wireOf(field.type) === WireType.LengthDelimited) {
    items.push(read(reader, field.type, extent));
    return;
  }
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError("a packed list is cut off");
  while (reader.pos < end) items.push(read(reader, field.type, extent));
}

function count(extent: Extent): void {
  if (++extent.values > MOST_VALUES) throw new TooManyValues("more values than a message may have");
}

/** `before`: the value of the same field that came before, if one did. */
function read(reader: BinaryReader, type: FieldType, extent: Extent, before?: unknown): unknown {
  count(extent);
  switch (type) {
    case "string":
      return reader.string();
    case "bytes":
      return toBase64(reader.bytes());
    case "raw":
      return reader.bytes();
    case "bool":
      return reader.bool();
    case "int32":
      return reader.int32();
    case "uint32":
      return reader.uint32();
    case "int64":
      return wholeNumber(BigInt(reader.int64()));
    case "time":
      return readTime(decodeInto({}, TIME, reader.bytes(), extent));
    default:
      return decodeInto((before ?? {}) as Fields, type(), reader.bytes(), extent);
  }
}

function write(writer: BinaryWriter, field: Field, value: unknown): void {
  const { number, type } = field;
  writer.tag(number, wireOf(type));
  switch (type) {
    case "string":
      return void writer.string(value as string);
    case "bytes":
      return void writer.bytes(bytesIn(value as string));
    case "raw":
      return void writer.bytes(value as Uint8Array);
    case "bool":
      return void writer.bool(value as boolean);
    case "int32":
      return void writer.int32(value as number);
    case "uint32":
      return void writer.uint32(value as number);
    case "int64":
      return void writer.int64(String(value));
    case "time":
      return void writer.bytes(encode(TIME, writeTime(value as string)));
    default:
      return void writer.bytes(encode(type(), value as Fields));
  }
}

function writeMap(writer: BinaryWriter, field: Field, values: Fields): void {
  for (const [key, value] of Object.entries(values)) {
    writer.tag(field.number, WireType.LengthDelimited).bytes(encode(entryOf(field), { key, value }));
  }
}

/** A map is a list of such messages. */
function entryOf({ type }: Field): Message {
  return { key: { number: 1, type: "string" }, value: { number: 2, type } };
}

const TIME: Message = { seconds: { number: 1, type: "int64" }, nanos: { number: 2, type: "int32" } };

function wireOf(type: FieldType): WireType {
  return type === "bool" || type === "int32" || type === "uint32" || type === "int64"
    ? WireType.Varint
    : WireType.LengthDelimited;
}

function bytesIn(base64: string): Uint8Array {
  const bytes = fromBase64(base64);
  if (bytes === null) throw new RangeError(`${base64} is no base64`);
  return bytes;
}

/** Numbers of a list may come packed. A field of another type than published is skipped as an unknown one. */
function fits({ type, as }: Field, wire: WireType): boolean {
  const wanted = as === "map" ? WireType.LengthDelimited : wireOf(type);
  return wire === wanted || (as === "many" && wire === WireType.LengthDelimited);
}

function emptyOf(type: FieldType): unknown {
  if (type === "raw") return new Uint8Array();
  if (type === "string" || type === "bytes" || type === "time") return "";
  if (type === "bool") return false;
  return typeof type === "function" ? {} : 0;
}

function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

const names = new WeakMap<Message, Map<number, string>>();

function namesOf(message: Message): Map<number, string> {
  let known = names.get(message);
  if (known === undefined) {
    known = new Map(Object.entries(message).map(([name, { number }]) => [number, name]));
    names.set(message, known);
  }
  return known;
}
