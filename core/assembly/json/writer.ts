// Writes JSON as UTF-8 bytes in the form of Go's encoding/json.
// Every answer is written here, so it uses raw stores for speed.

import { noBytes, widen } from "../../../build/bindings/heap";
import { arePlain, narrowed } from "../text/at-once";
import { base64Length, storeBase64 } from "../text/base64";
import { sequenceLength, storePoint } from "../text/utf8";
import { Json, JsonKind } from "./json";

/**
 * Appends values to a growing buffer. Commas are added automatically; the caller must balance begin and end.
 * `escapeHtml`: writes `<`, `>` and `&` as `\u003c` and so on, as in progress streams.
 */
export class JsonWriter {
  private buffer: ArrayBuffer;
  private size: i32 = 0;
  private comma: bool = false;

  constructor(
    public escapeHtml: bool = false,
    capacity: i32 = 512,
  ) {
    this.buffer = new ArrayBuffer(capacity);
  }

  /** A copy of the written bytes. */
  finish(): Uint8Array {
    return Uint8Array.wrap(this.buffer.slice(0, this.size));
  }

  /** The written bytes without copying. The writer is empty afterwards. */
  take(): Uint8Array {
    const bytes = Uint8Array.wrap(this.buffer, 0, this.size);
    this.buffer = noBytes();
    this.size = 0;
    return bytes;
  }

  /** Number of bytes written so far. */
  get length(): i32 {
    return this.size;
  }

  beginObject(): JsonWriter {
    return this.open(0x7b);
  }

  endObject(): JsonWriter {
    return this.close(0x7d);
  }

  beginArray(): JsonWriter {
    return this.open(0x5b);
  }

  endArray(): JsonWriter {
    return this.close(0x5d);
  }

  /** Writes the name of a member; its value must follow. */
  key(name: string): JsonWriter {
    this.quoted(name);
    // `quoted` leaves room for it.
    store<u8>(changetype<usize>(this.buffer) + this.size, 0x3a);
    this.size++;
    this.comma = false;
    return this;
  }

  string(value: string): JsonWriter {
    this.quoted(value);
    return this;
  }

  /** Bytes as a text in base64 (RFC 4648). */
  base64(bytes: Uint8Array): JsonWriter {
    this.separate();
    this.byte(0x22);
    const length = base64Length(bytes);
    storeBase64(bytes, this.room(length));
    this.size += length;
    this.byte(0x22);
    return this;
  }

  i64(value: i64): JsonWriter {
    this.separate();
    if (value < 0) this.byte(0x2d);
    this.digits(value < 0 ? 0 - <u64>value : <u64>value);
    return this;
  }

  u64(value: u64): JsonWriter {
    this.separate();
    this.digits(value);
    return this;
  }

  /** JSON has no infinities: they are written as null. */
  f64(value: f64): JsonWriter {
    if (!isFinite(value)) return this.null();
    const text = value.toString();
    this.separate();
    this.ascii(text.endsWith(".0") ? text.substring(0, text.length - 2) : text);
    return this;
  }

  bool(value: bool): JsonWriter {
    this.separate();
    this.ascii(value ? "true" : "false");
    return this;
  }

  null(): JsonWriter {
    this.separate();
    this.ascii("null");
    return this;
  }

  /** Writes a value that is JSON already: `bytes[from..to)`, by default all of them. */
  raw(bytes: Uint8Array, from: i32 = 0, to: i32 = bytes.length): JsonWriter {
    this.separate();
    if (from < 0 || to > bytes.length || from >= to) return this;
    this.copy(bytes, from, to);
    return this;
  }

  json(node: Json): JsonWriter {
    switch (node.kind) {
      case JsonKind.Bool:
        return this.bool(node.bool);
      case JsonKind.Number:
        this.separate();
        this.ascii(node.text);
        return this;
      case JsonKind.String:
        return this.string(node.text);
      case JsonKind.Array:
        this.beginArray();
        for (let i = 0; i < node.items.length; i++) this.json(node.items[i]);
        return this.endArray();
      case JsonKind.Object:
        this.beginObject();
        for (let i = 0; i < node.keys.length; i++) this.key(node.keys[i]).json(node.items[i]);
        return this.endObject();
      default:
        return this.null();
    }
  }

  stringField(name: string, value: string): JsonWriter {
    return this.key(name).string(value);
  }

  i64Field(name: string, value: i64): JsonWriter {
    return this.key(name).i64(value);
  }

  boolField(name: string, value: bool): JsonWriter {
    return this.key(name).bool(value);
  }

  nullField(name: string): JsonWriter {
    return this.key(name).null();
  }

  rawField(name: string, bytes: Uint8Array): JsonWriter {
    return this.key(name).raw(bytes);
  }

  jsonField(name: string, node: Json): JsonWriter {
    return this.key(name).json(node);
  }

  /** An object whose values are strings. */
  textMap(keys: string[], values: string[]): JsonWriter {
    this.beginObject();
    for (let i = 0; i < keys.length; i++) this.stringField(keys[i], values[i]);
    return this.endObject();
  }

  stringArrayField(name: string, values: string[]): JsonWriter {
    this.key(name).beginArray();
    for (let i = 0; i < values.length; i++) this.string(values[i]);
    return this.endArray();
  }

  /** Ends a document in a stream with `\n` or another separator. The next value needs no comma. */
  line(end: string = "\n"): JsonWriter {
    this.ascii(end);
    this.comma = false;
    return this;
  }

  /** Writes ASCII text unchanged; the caller is responsible for commas and quotes. */
  literal(text: string): JsonWriter {
    this.ascii(text);
    return this;
  }

  /** Writes part of a string, without quotes: `bytes[from..to)` in UTF-8, with each invalid byte as U+FFFD. */
  escaped(bytes: Uint8Array, from: i32, to: i32): JsonWriter {
    for (let at = from; at < to;) {
      const plain = this.plainFrom(bytes, at, to);
      if (plain > at) this.copy(bytes, at, plain);
      at = plain < to ? plain + this.special(bytes, plain, to) : to;
    }
    return this;
  }

  private plainFrom(bytes: Uint8Array, from: i32, to: i32): i32 {
    let at = from;
    for (; at < to; at++) {
      const byte = <u32>load<u8>(bytes.dataStart + at);
      if (byte >= 0x80 || this.mustEscape(byte)) break;
    }
    return at;
  }

  /** Returns how many bytes were read. */
  private special(bytes: Uint8Array, at: i32, to: i32): i32 {
    const source = bytes.dataStart + at;
    const byte = <u32>load<u8>(source);
    if (byte < 0x80) {
      this.size += <i32>(storeEscape(byte, this.room(6)) - this.room(6));
      return 1;
    }
    const size = sequenceLength(source, to - at);
    if (size == 1) this.size += <i32>storePoint(0xfffd, this.room(3));
    else if (isLineSeparator(source, size)) this.ascii(load<u8>(source + 2) == 0xa8 ? "\\u2028" : "\\u2029");
    else this.copy(bytes, at, at + size);
    return size;
  }

  private copy(bytes: Uint8Array, from: i32, to: i32): void {
    memory.copy(this.room(to - from), bytes.dataStart + from, to - from);
    this.size += to - from;
  }

  private open(byte: u8): JsonWriter {
    this.separate();
    this.byte(byte);
    this.comma = false;
    return this;
  }

  private close(byte: u8): JsonWriter {
    this.byte(byte);
    this.comma = true;
    return this;
  }

  private separate(): void {
    if (this.comma) this.byte(0x2c);
    this.comma = true;
  }

  // Makes room for `bytes` more bytes, and returns their address.
  private room(bytes: i32): usize {
    const needed = this.size + bytes;
    const room = this.buffer.byteLength;
    if (needed > room) this.buffer = widen(this.buffer, max(needed, room << 1));
    return changetype<usize>(this.buffer) + this.size;
  }

  private byte(byte: u8): void {
    store<u8>(this.room(1), byte);
    this.size++;
  }

  private ascii(text: string): void {
    const at = this.room(text.length);
    for (let i = 0; i < text.length; i++) store<u8>(at + i, <u8>text.charCodeAt(i));
    this.size += text.length;
  }

  private digits(value: u64): void {
    let count = 1;
    for (let rest = value; rest >= 10; rest /= 10) count++;
    let at = this.room(count) + count;
    do {
      store<u8>(--at, <u8>(0x30 + (value % 10)));
      value /= 10;
    } while (value > 0);
    this.size += count;
  }

  // Writes a comma if one is due, then the text in quotes. Afterwards there is room for a colon.
  private quoted(text: string): void {
    const length = text.length;
    let at = this.room(length + 4);
    if (this.comma) store<u8>(at++, 0x2c);
    this.comma = true;
    store<u8>(at++, 0x22);
    const source = changetype<usize>(text);
    let plain = 0;
    for (; !this.escapeHtml && plain + 4 <= length; plain += 4, at += 4) {
      const units = load<u64>(source + ((<usize>plain) << 1));
      if (!arePlain(units)) break;
      store<u32>(at, narrowed(units));
    }
    for (; plain < length; plain++) {
      const unit = <u32>load<u16>(source + ((<usize>plain) << 1));
      if (unit >= 0x80 || this.mustEscape(unit)) break;
      store<u8>(at++, <u8>unit);
    }
    this.size = <i32>(at - changetype<usize>(this.buffer));
    if (plain < length) return this.quotedFrom(text, plain);
    store<u8>(at, 0x22);
    this.size++;
  }

  // Writes the rest of a string whose beginning, with the opening quote, is already in the buffer.
  private quotedFrom(text: string, from: i32): void {
    // One UTF-16 unit becomes at most six bytes.
    const start = this.room((text.length - from) * 6 + 2);
    let at = start;
    for (let i = from; i < text.length; i++) {
      const unit = <u32>text.charCodeAt(i);
      if (unit < 0x80 ? !this.mustEscape(unit) : unit < 0xd800 && unit != 0x2028 && unit != 0x2029) {
        at += storePoint(unit, at);
      } else if (unit < 0x80 || unit < 0xd800) {
        at = storeEscape(unit, at);
      } else if (unit > 0xdfff) {
        at += storePoint(unit, at);
      } else {
        const next = i + 1 < text.length ? <u32>text.charCodeAt(i + 1) : 0;
        if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
          at += storePoint(0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00), at);
          i++;
        } else {
          at = storeEscape(0xfffd, at);
        }
      }
    }
    store<u8>(at++, 0x22);
    this.size += <i32>(at - start);
  }

  private mustEscape(unit: u32): bool {
    if (unit < 0x20 || unit == 0x22 || unit == 0x5c) return true;
    return this.escapeHtml && (unit == 0x3c || unit == 0x3e || unit == 0x26);
  }
}

/** The bytes of a tree. */
export function jsonBytes(node: Json): Uint8Array {
  return new JsonWriter(false, lengthOf(node) + SPARE).json(node).finish();
}

/** Room for a few strings that grow when they are escaped. */
const SPARE: i32 = 64;

/** The length without escapes, or slightly more. */
function lengthOf(node: Json): i32 {
  // Quotes, a comma and a colon; no literal is longer.
  let length = 5 + node.text.length;
  for (let i = 0; i < node.keys.length; i++) length += 4 + node.keys[i].length;
  for (let i = 0; i < node.items.length; i++) length += lengthOf(node.items[i]);
  return length;
}

/** U+2028 and U+2029. */
function isLineSeparator(at: usize, size: i32): bool {
  return size == 3 && load<u16>(at) == 0x80e2 && (load<u8>(at + 2) | 1) == 0xa9;
}

function storeEscape(unit: u32, at: usize): usize {
  store<u8>(at, 0x5c);
  const short = shortEscape(unit);
  if (short != 0) {
    store<u8>(at + 1, short);
    return at + 2;
  }
  store<u8>(at + 1, 0x75);
  for (let i = 0; i < 4; i++) {
    const digit = (unit >> (12 - 4 * i)) & 15;
    store<u8>(at + 2 + i, <u8>(digit < 10 ? 0x30 + digit : 0x57 + digit));
  }
  return at + 6;
}

function shortEscape(unit: u32): u8 {
  switch (unit) {
    case 0x22:
    case 0x5c:
      return <u8>unit;
    case 0x08:
      return 0x62;
    case 0x0c:
      return 0x66;
    case 0x0a:
      return 0x6e;
    case 0x0d:
      return 0x72;
    case 0x09:
      return 0x74;
    default:
      return 0;
  }
}
