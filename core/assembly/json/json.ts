// A JSON document as a tree. Numbers keep their literal text,
// so that no digits are lost before a reader asks for a type.

export enum JsonKind {
  Null,
  Bool,
  Number,
  String,
  Array,
  Object,
}

/**
 * One value. Fields that a kind does not use stay empty; never push to `keys` or `items` of a scalar. A scalar never
 * changes, so that trees can share it.
 */
export class Json {
  /** A Bool's value. */
  bool: bool = false;
  /** A String's value, or a Number's literal from the document. */
  text: string = "";
  /** Names of an Object's members in document order, duplicates included; `items` has the values. */
  keys: string[] = NO_KEYS;
  /** An Array's items, or the values of an Object's members. */
  items: Json[] = NO_ITEMS;

  constructor(public kind: JsonKind) {}

  static null(): Json {
    return NULL;
  }

  static bool(value: bool): Json {
    return value ? TRUE : FALSE;
  }

  static number(literal: string): Json {
    return literal == "0" ? NOUGHT : scalar(JsonKind.Number, literal);
  }

  static i64(value: i64): Json {
    return Json.number(value.toString());
  }

  static string(value: string): Json {
    return value.length == 0 ? EMPTY : scalar(JsonKind.String, value);
  }

  static array(): Json {
    const json = new Json(JsonKind.Array);
    json.items = [];
    return json;
  }

  static object(): Json {
    const json = new Json(JsonKind.Object);
    json.keys = [];
    json.items = [];
    return json;
  }

  /** An Object with room for so many members. */
  static objectFor(members: i32): Json {
    const json = new Json(JsonKind.Object);
    json.keys = new Array<string>(members);
    json.keys.length = 0;
    json.items = new Array<Json>(members);
    json.items.length = 0;
    return json;
  }

  /** An Array of Strings. */
  static strings(values: string[]): Json {
    const json = Json.array();
    for (let i = 0; i < values.length; i++) json.items.push(Json.string(values[i]));
    return json;
  }

  get isNull(): bool {
    return this.kind == JsonKind.Null;
  }

  get isString(): bool {
    return this.kind == JsonKind.String;
  }

  get isArray(): bool {
    return this.kind == JsonKind.Array;
  }

  get isObject(): bool {
    return this.kind == JsonKind.Object;
  }

  /** Number of items or members. */
  get length(): i32 {
    return this.items.length;
  }

  /**
   * Finds a member as for a Go struct: exact names first, then names that differ only in case; of duplicates the last
   * one. For maps whose keys are data (labels, ports) use `entry`.
   */
  find(key: string): Json | null {
    const exact = this.placeOf(key);
    if (exact >= 0) return this.items[exact];
    const keys = this.keys;
    for (let i = keys.length - 1; i >= 0; i--) {
      const name = unchecked(keys[i]);
      if (name.length == key.length && sameFolded(name, key)) return this.items[i];
    }
    return null;
  }

  /** The member with exactly this name; of duplicates the last one. */
  entry(key: string): Json | null {
    const place = this.placeOf(key);
    return place < 0 ? null : this.items[place];
  }

  /** Index of that member; -1 if there is none. */
  private placeOf(key: string): i32 {
    const keys = this.keys;
    for (let place = keys.length - 1; place >= 0; place--) {
      const name = unchecked(keys[place]);
      // Without a call for most names: often the key is the very text, and otherwise its length differs.
      if (changetype<usize>(name) == changetype<usize>(key)) return place;
      if (name.length == key.length && name == key) return place;
    }
    return -1;
  }

  /** Replaces the member with exactly this name in its place, or appends it. Does nothing unless this is an Object. */
  set(key: string, value: Json): void {
    if (this.kind != JsonKind.Object) return;
    const place = this.placeOf(key);
    if (place >= 0) {
      this.items[place] = value;
      return;
    }
    this.keys.push(key);
    this.items.push(value);
  }

  /** Removes all members with exactly this name. */
  remove(key: string): void {
    for (let i = this.keys.length - 1; i >= 0; i--) {
      if (this.keys[i] != key) continue;
      this.keys.splice(i, 1);
      this.items.splice(i, 1);
    }
  }

  /** Appends an item. Does nothing unless this is an Array. */
  push(value: Json): void {
    if (this.kind == JsonKind.Array) this.items.push(value);
  }

  /** The member's text if it is a String, else `""`. */
  stringOf(key: string): string {
    const value = this.find(key);
    return value !== null && value.kind == JsonKind.String ? value.text : "";
  }

  /** Whether the member is `true`. */
  boolOf(key: string): bool {
    const value = this.find(key);
    return value !== null && value.kind == JsonKind.Bool && value.bool;
  }

  /** The member's value if it is an integer of 64 bits, else 0. */
  i64Of(key: string): i64 {
    const value = this.find(key);
    return value !== null && isI64(value) ? parseI64(value.text) : 0;
  }

  /** The Strings of a member that is an Array; empty for everything else. */
  stringsOf(key: string): string[] {
    const value = this.find(key);
    return value === null ? [] : value.strings();
  }

  /** Appends the names and values of an object whose values are Strings to two lists. */
  takeTexts(keys: string[], values: string[]): void {
    for (let i = 0; i < this.keys.length; i++) {
      keys.push(this.keys[i]);
      values.push(this.items[i].text);
    }
  }

  /** The Strings among an Array's items. */
  strings(): string[] {
    const result: string[] = [];
    if (this.kind != JsonKind.Array) return result;
    for (let i = 0; i < this.items.length; i++) {
      if (this.items[i].kind == JsonKind.String) result.push(this.items[i].text);
    }
    return result;
  }

  /** An object with the same members: they are shared, but each can be replaced. */
  branch(): Json {
    const json = new Json(this.kind);
    json.keys = this.keys.slice();
    json.items = this.items.slice();
    return json;
  }

  /** A tree that shares no Array and no Object with this one. */
  copy(): Json {
    if (this.kind != JsonKind.Array && this.kind != JsonKind.Object) return this;
    const json = new Json(this.kind);
    if (this.kind == JsonKind.Object) json.keys = this.keys.slice();
    json.items = this.items.slice();
    for (let i = 0; i < json.items.length; i++) json.items[i] = json.items[i].copy();
    return json;
  }
}

/** Whether the value is a Number that is written as an integer and fits a signed integer of 64 bits. */
export function isI64(value: Json): bool {
  if (value.kind != JsonKind.Number || !isInteger(value.text)) return false;
  const negative = value.text.charCodeAt(0) == MINUS;
  return fits(value.text, negative ? 1 : 0, negative ? "9223372036854775808" : "9223372036854775807");
}

/** Whether the value is a Number that is written as an integer and fits an unsigned integer of 64 bits. */
export function isU64(value: Json): bool {
  if (value.kind != JsonKind.Number || !isInteger(value.text) || value.text.charCodeAt(0) == MINUS) return false;
  return fits(value.text, 0, "18446744073709551615");
}

/** The value of a Number for which `isI64` holds; 0 otherwise. */
export function asI64(value: Json): i64 {
  return isI64(value) ? parseI64(value.text) : 0;
}

/** The value of a Number for which `isU64` holds; 0 otherwise. */
export function asU64(value: Json): u64 {
  return isU64(value) ? <u64>parseI64(value.text) : 0;
}

/** Whether two names are the same to Go's decoder: it ignores case, also for two letters that fold into ASCII. */
export function sameFolded(left: string, right: string): bool {
  if (left.length != right.length) return false;
  for (let i = 0; i < left.length; i++) {
    if (folded(left.charCodeAt(i)) != folded(right.charCodeAt(i))) return false;
  }
  return true;
}

const NO_KEYS: string[] = [];
const NO_ITEMS: Json[] = [];
// Clients send, and tables have, these values most often.
const NULL: Json = scalar(JsonKind.Null, "");
const FALSE: Json = scalar(JsonKind.Bool, "");
const TRUE: Json = truth();
const NOUGHT: Json = scalar(JsonKind.Number, "0");
const EMPTY: Json = scalar(JsonKind.String, "");
const MINUS: i32 = 0x2d;
const ZERO: i32 = 0x30;

function scalar(kind: JsonKind, text: string): Json {
  const json = new Json(kind);
  json.text = text;
  return json;
}

function truth(): Json {
  const json = new Json(JsonKind.Bool);
  json.bool = true;
  return json;
}

function isInteger(literal: string): bool {
  const from = literal.length > 0 && literal.charCodeAt(0) == MINUS ? 1 : 0;
  if (literal.length == from) return false;
  for (let i = from; i < literal.length; i++) {
    const digit = literal.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

// JSON allows no leading zeros, so the longer text is the larger number.
function fits(literal: string, from: i32, limit: string): bool {
  const digits = literal.length - from;
  if (digits != limit.length) return digits < limit.length;
  return literal.substring(from) <= limit;
}

function parseI64(literal: string): i64 {
  const negative = literal.charCodeAt(0) == MINUS;
  let value: i64 = 0;
  for (let i = negative ? 1 : 0; i < literal.length; i++) value = value * 10 + (literal.charCodeAt(i) - ZERO);
  return negative ? -value : value;
}

function folded(unit: i32): i32 {
  if (unit >= 0x41 && unit <= 0x5a) return unit + 0x20;
  if (unit == 0x17f) return 0x73; // long s
  if (unit == 0x212a) return 0x6b; // Kelvin sign
  return unit;
}
