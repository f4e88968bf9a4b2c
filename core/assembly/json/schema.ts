// Reads Docker's large objects by their tables (`table.ts`). What it
// tolerates, and its error texts, follow Go's encoding/json (surface §2.2).

import { compareTexts, sortedPlaces } from "../text/compare";
import { isZero } from "./asked";
import { isI64, isU64, Json, JsonKind } from "./json";
import { Field, FieldType, Table } from "./table";

/** Accepts the fields of all versions. */
export const ANY_VERSION: i32 = i32.MAX_VALUE - 1;

/**
 * Returns a new object with exactly the table's fields, in its order: defaults are filled in, unknown members dropped,
 * maps sorted by name. Of duplicates the last one counts, except that duplicate objects are merged. On an error it
 * returns null, and `schemaError` says why. `path`: the object's path in the document, for errors; empty for the root.
 */
export function normalise(value: Json, table: Table, path: string = "", version: i32 = ANY_VERSION): Json | null {
  lastError = "";
  const reader = new SchemaReader(version);
  if (path.length > 0) reader.path = path.split(".");
  const result = reader.struct(value, table, table.struct, table.goType);
  lastError = reader.error;
  return reader.error.length > 0 ? null : result;
}

/** What was wrong with the last object, in Go's words; empty if nothing was. */
export function schemaError(): string {
  return lastError;
}

/**
 * A map's members sorted by name, without duplicates (the last
 * one counts), as Go writes maps. Returns a sorted map itself.
 */
export function sortedMap(map: Json): Json {
  if (isSorted(map.keys)) return map;
  const places = sortedPlaces(map.keys);
  const result = Json.object();
  for (let i = 0; i < places.length; i++) {
    const key = map.keys[places[i]];
    if (i + 1 < places.length && map.keys[places[i + 1]] == key) continue;
    result.keys.push(key);
    result.items.push(map.items[places[i]]);
  }
  return result;
}

/** Whether the keys are sorted, without duplicates. */
function isSorted(keys: string[]): bool {
  for (let i = 1; i < keys.length; i++) if (compareTexts(keys[i - 1], keys[i]) >= 0) return false;
  return true;
}

const NO_SLOTS = new StaticArray<Json | null>(0);

let lastError: string = "";

class SchemaReader {
  error: string = "";
  path: string[] = [];

  constructor(private version: i32) {}

  /** `owner`: the struct that errors name when the value is not an object. */
  struct(value: Json, table: Table, owner: string, goType: string): Json {
    if (!value.isObject) return value.isNull ? this.assemble(table, NO_SLOTS) : this.wrongType(value, owner, goType);
    const slots = new StaticArray<Json | null>(table.fields.length);
    let joined: Joined | null = null;
    let last = -1;
    for (let i = 0; i < value.keys.length && this.error.length == 0; i++) {
      const place = table.place(value.keys[i], last + 1);
      if (place < 0) continue;
      last = place;
      const field = table.fields[place];
      if (this.version != ANY_VERSION && this.version > field.until) continue;
      const given = value.items[i];
      // Null leaves a plain value as an earlier duplicate set it, and clears a value that can be null in Go.
      if (given.isNull && isScalar(field.type) && !field.pointer) continue;
      const former = slots[place];
      if (former !== null && hasMembers(field.type)) {
        if (joined === null) joined = new Joined();
        if (given.isNull) joined.forget(place);
        else if (given.isObject) {
          joined.add(place, former, given);
          continue;
        }
      }
      const read: Json | null = given.isNull ? null : this.member(given, field, table.struct);
      // A field newer than the requested version is checked, but then ignored.
      if (this.version == ANY_VERSION || this.version >= field.since) slots[place] = read;
    }
    if (joined !== null) this.join(joined, slots, table);
    return this.assemble(table, slots);
  }

  private join(joined: Joined, slots: StaticArray<Json | null>, table: Table): void {
    for (let i = 0; i < joined.places.length; i++) {
      const place = joined.places[i];
      slots[place] = this.member(joined.objects[i], table.fields[place], table.struct);
    }
  }

  private member(value: Json, field: Field, owner: string): Json {
    this.path.push(field.name);
    const read = this.field(value, field, owner);
    this.path.pop();
    return read;
  }

  private assemble(table: Table, slots: StaticArray<Json | null>): Json {
    const result = Json.objectFor(table.fields.length);
    for (let i = 0; i < table.fields.length; i++) {
      const field = table.fields[i];
      const value = i < slots.length ? slots[i] : null;
      if (field.fallback !== null) {
        result.keys.push(field.name);
        result.items.push(value === null ? field.default() : value);
      } else if (value !== null && (field.pointer || !isEmpty(value))) {
        result.keys.push(field.name);
        result.items.push(value);
      }
    }
    return result;
  }

  private field(value: Json, field: Field, owner: string): Json {
    switch (field.type) {
      case FieldType.String:
        return value.isString ? value : this.wrongType(value, owner, field.goType);
      case FieldType.Bool:
        return value.kind == JsonKind.Bool ? value : this.wrongType(value, owner, field.goType);
      case FieldType.Int:
      case FieldType.UInt16:
      case FieldType.UInt64:
        return this.integer(value, field.type, owner, field.goType);
      case FieldType.Pair:
        return this.pair(value, owner, field.goType);
      case FieldType.Strings:
        return this.strings(value, owner, field.goType);
      case FieldType.Command:
        return this.command(value, owner);
      case FieldType.StringMap:
      case FieldType.Set:
        return this.map(value, field, owner);
      case FieldType.Struct:
        return this.struct(value, field.table!, owner, field.goType);
      case FieldType.Structs:
        return this.structs(value, field, owner);
      case FieldType.StructMap:
      case FieldType.StructListMap:
        return this.map(value, field, owner);
      default:
        return value;
    }
  }

  private integer(value: Json, type: FieldType, owner: string, goType: string): Json {
    if (value.kind != JsonKind.Number) return this.wrongType(value, owner, goType);
    const fits = type == FieldType.Int ? isI64(value) : isU64(value) && (type == FieldType.UInt64 || isU16(value.text));
    if (!fits) return this.fail(`number ${value.text}`, owner, goType);
    // An integer has only one zero, and many readers would take `-0` for a fraction.
    return value.text == "-0" ? Json.i64(0) : value;
  }

  // Go fills an array of fixed size: missing items are zero, extra ones are dropped.
  private pair(value: Json, owner: string, goType: string): Json {
    if (!value.isArray) return this.wrongType(value, owner, goType);
    const result = Json.array();
    for (let i = 0; i < 2; i++) {
      const given = i < value.items.length ? value.items[i] : Json.null();
      result.push(given.isNull ? Json.i64(0) : this.integer(given, FieldType.UInt64, owner, "uint"));
    }
    return result;
  }

  private strings(value: Json, owner: string, goType: string): Json {
    if (!value.isArray) return this.wrongType(value, owner, goType);
    const result = Json.array();
    result.items = value.items.slice();
    for (let i = 0; i < result.items.length; i++) {
      const item = result.items[i];
      if (item.isString) continue;
      if (!item.isNull) return this.wrongType(item, owner, goType.slice("[]".length));
      result.items[i] = Json.string("");
    }
    return result;
  }

  private command(value: Json, owner: string): Json {
    if (value.isString) return Json.strings([value.text]);
    if (!value.isArray) return this.wrongType(value, owner, "string");
    for (let i = 0; i < value.items.length; i++) {
      if (!value.items[i].isString && !value.items[i].isNull) return this.wrongType(value, owner, "string");
    }
    return this.strings(value, "", "[]string");
  }

  private structs(value: Json, field: Field, owner: string): Json {
    if (!value.isArray) return this.wrongType(value, owner, "[]" + field.goType);
    const result = Json.array();
    for (let i = 0; i < value.items.length && this.error.length == 0; i++) {
      const item = value.items[i];
      // There may be tens of thousands of items, so words for errors are built only for an error.
      if (item.isObject || item.isNull) result.push(this.struct(item, field.table!, owner, ""));
      else this.wrongType(item, owner, field.goType.replace("*", ""));
    }
    return result;
  }

  private map(value: Json, field: Field, owner: string): Json {
    if (!value.isObject) return this.wrongType(value, owner, mapType(field));
    const result = Json.object();
    result.keys = value.keys.slice();
    result.items = value.items.slice();
    for (let i = 0; i < result.items.length && this.error.length == 0; i++) {
      result.items[i] = this.entry(result.items[i], field, owner);
    }
    return sortedMap(result);
  }

  private entry(value: Json, field: Field, owner: string): Json {
    if (field.type == FieldType.StringMap) {
      // There may be many items; valid ones are not copied.
      if (value.isString) return value;
      return value.isNull ? Json.string("") : this.wrongType(value, owner, "string");
    }
    if (field.type == FieldType.Set) {
      if (value.isObject && value.length == 0) return value;
      return value.isObject || value.isNull ? Json.object() : this.wrongType(value, owner, "struct {}");
    }
    if (value.isNull) return value;
    if (field.type == FieldType.StructListMap) return this.structs(value, field, owner);
    return this.struct(value, field.table!, owner, field.goType);
  }

  private wrongType(value: Json, owner: string, goType: string): Json {
    return this.fail(kindWord(value), owner, goType);
  }

  private fail(what: string, owner: string, goType: string): Json {
    if (this.error.length == 0) {
      const where = this.path.length > 0 ? `struct field ${owner}.${this.path.join(".")}` : "value";
      this.error = `json: cannot unmarshal ${what} into Go ${where} of type ${goType}`;
    }
    return Json.null();
  }
}

/**
 * Objects that were given more than once: Go decodes each into
 * the earlier one. They are merged here and read at the end.
 */
class Joined {
  places: i32[] = [];
  objects: Json[] = [];

  /** `former`: the result of reading the first one. */
  add(place: i32, former: Json, given: Json): void {
    let at = this.places.indexOf(place);
    if (at < 0) {
      at = this.places.push(place) - 1;
      this.objects.push(Json.object());
      this.append(at, former);
    }
    this.append(at, given);
  }

  forget(place: i32): void {
    const at = this.places.indexOf(place);
    if (at < 0) return;
    this.places.splice(at, 1);
    this.objects.splice(at, 1);
  }

  private append(at: i32, from: Json): void {
    const object = this.objects[at];
    for (let i = 0; i < from.keys.length; i++) {
      object.keys.push(from.keys[i]);
      object.items.push(from.items[i]);
    }
  }
}

// Values that Go's `omitempty` leaves out.
function isEmpty(value: Json): bool {
  if (value.isArray || value.isObject) return value.length == 0;
  return isZero(value);
}

function hasMembers(type: FieldType): bool {
  switch (type) {
    case FieldType.StringMap:
    case FieldType.Set:
    case FieldType.Struct:
    case FieldType.StructMap:
    case FieldType.StructListMap:
      return true;
    default:
      return false;
  }
}

function isScalar(type: FieldType): bool {
  return type <= FieldType.Pair || type == FieldType.Struct;
}

/** What Go calls a value that is not null in its errors. */
export function kindWord(value: Json): string {
  switch (value.kind) {
    case JsonKind.Bool:
      return "bool";
    case JsonKind.Number:
      return "number";
    case JsonKind.String:
      return "string";
    case JsonKind.Array:
      return "array";
    default:
      return "object";
  }
}

function mapType(field: Field): string {
  if (field.mapType.length > 0) return field.mapType;
  if (field.type == FieldType.StringMap) return "map[string]string";
  if (field.type == FieldType.Set) return "map[string]struct {}";
  return field.type == FieldType.StructMap ? `map[string]*${field.goType}` : `map[string][]${field.goType}`;
}

function isU16(literal: string): bool {
  return literal.length < 5 || (literal.length == 5 && literal <= "65535");
}
