// The fields of a record. Each kind of record lists its fields once, in one function. Reading and writing both call it,
// so that one line writes, reads and checks a field. core/record-types.ts makes TypeScript types from these lines.

import { NO_TIME } from "../text/time";

const U32: i64 = 0xffffffff;

/**
 * Each method takes a field's value and returns its new value: the same when writing (`FieldWriter`), the record's when
 * reading (`FieldReader`). An optional field is left out of the record while it has its default value.
 */
export abstract class Fields {
  abstract text(name: string, value: string): string;
  abstract bool(name: string, value: bool): bool;
  abstract number(name: string, value: i64): i64;
  /** A number from `least` to `most`. */
  abstract within(name: string, value: i64, least: i64, most: i64): i64;
  abstract texts(name: string, values: string[]): string[];
  /** An object whose values are strings: names and values go into the two lists. */
  abstract textMap(name: string, keys: string[], values: string[]): void;
  /** An object as JSON bytes. */
  abstract document(name: string, json: Uint8Array): Uint8Array;

  /** Whether the record has this optional field. */
  abstract has(name: string, there: bool): bool;

  /** Begins a part. Its fields follow, then `end`. */
  abstract beginPart(name: string): void;
  /** Begins a list. Its items follow, then `endList`. */
  abstract beginList(name: string): void;
  /** Begins the next item of a list that has `length` items when it is written; false if there is none. */
  abstract beginItem(at: i32, length: i32): bool;
  /** Ends a part or an item. */
  abstract end(): void;
  abstract endList(): void;

  u32(name: string, value: u32): u32 {
    return <u32>this.within(name, value, 0, U32);
  }

  i32(name: string, value: i32): i32 {
    return <i32>this.within(name, value, i32.MIN_VALUE, i32.MAX_VALUE);
  }

  /** Left out if it is empty. */
  optionalText(name: string, value: string): string {
    return this.has(name, value.length > 0) ? this.text(name, value) : value;
  }

  /** Left out if there are none. */
  optionalTexts(name: string, values: string[]): string[] {
    return this.has(name, values.length > 0) ? this.texts(name, values) : values;
  }

  /** Left out if it has no members. */
  optionalTextMap(name: string, keys: string[], values: string[]): void {
    if (this.has(name, keys.length > 0)) this.textMap(name, keys, values);
  }

  /** Left out if it is false. */
  optionalBool(name: string, value: bool): bool {
    return this.has(name, value) ? this.bool(name, value) : value;
  }

  /** Left out if it is `absent`. */
  optionalWithin(name: string, value: i64, absent: i64, least: i64, most: i64): i64 {
    return this.has(name, value != absent) ? this.within(name, value, least, most) : value;
  }

  /** Left out if it is 0. */
  optionalU32(name: string, value: u32): u32 {
    return this.has(name, value != 0) ? this.u32(name, value) : value;
  }

  /** Left out if it is `NO_TIME`. */
  optionalTime(name: string, value: i64): i64 {
    return this.has(name, value != NO_TIME) ? this.number(name, value) : value;
  }

  /** Left out if it has no bytes. */
  optionalDocument(name: string, json: Uint8Array): Uint8Array {
    return this.has(name, json.length > 0) ? this.document(name, json) : json;
  }
}

/** An optional part. `fieldsOf` makes a new one when it is given null. */
export function partOf<T>(
  fields: Fields,
  name: string,
  part: T | null,
  fieldsOf: (fields: Fields, part: T | null) => T,
): T | null {
  if (!fields.has(name, part !== null)) return null;
  fields.beginPart(name);
  const there = fieldsOf(fields, part);
  fields.end();
  return there;
}

/** A list of parts; when reading, it must be empty before. */
export function listOf<T>(
  fields: Fields,
  name: string,
  list: T[],
  fieldsOf: (fields: Fields, item: T | null) => T,
): void {
  const length = list.length;
  fields.beginList(name);
  for (let i = 0; fields.beginItem(i, length); i++) {
    const item = fieldsOf(fields, i < length ? list[i] : null);
    if (i >= length) list.push(item);
    fields.end();
  }
  fields.endList();
}

/** The same, but an empty list is left out. */
export function optionalListOf<T>(
  fields: Fields,
  name: string,
  list: T[],
  fieldsOf: (fields: Fields, item: T | null) => T,
): void {
  if (fields.has(name, list.length > 0)) listOf<T>(fields, name, list, fieldsOf);
}
