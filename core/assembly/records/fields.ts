// The fields of a record. Each kind of record lists its fields once, in one function: whoever writes a record and whoever
// reads one go through the same list, so that a field is written, read and checked by one line.

import { NO_TIME } from "../text/time";

const U32: i64 = 0xffffffff;

/**
 * Each method takes a field's value and returns the one that it has then: the same where the record is written
 * (`FieldWriter`), the record's where it is read (`FieldReader`). An optional field is left out of a record where it is
 * as it would be without one.
 */
export abstract class Fields {
  abstract text(name: string, value: string): string;
  abstract bool(name: string, value: bool): bool;
  abstract number(name: string, value: i64): i64;
  /** From `least` to `most`. */
  abstract within(name: string, value: i64, least: i64, most: i64): i64;
  abstract texts(name: string, values: string[]): string[];
  /** An object of texts: its members are put into both lists. */
  abstract textMap(name: string, keys: string[], values: string[]): void;
  /** An object in JSON. */
  abstract document(name: string, json: Uint8Array): Uint8Array;

  /** Whether the record has this field, which may be left out. */
  abstract has(name: string, there: bool): bool;

  /** Its fields follow, then `end`. */
  abstract beginPart(name: string): void;
  /** How many items the list has: each begins with `beginItem`, and the list is over with `endList`. */
  abstract beginList(name: string, length: i32): i32;
  abstract beginItem(at: i32): void;
  /** A part or an item is over. */
  abstract end(): void;
  abstract endList(): void;

  u32(name: string, value: u32): u32 {
    return <u32>this.within(name, value, 0, U32);
  }

  i32(name: string, value: i32): i32 {
    return <i32>this.within(name, value, i32.MIN_VALUE, i32.MAX_VALUE);
  }

  /** Left out where it is empty. */
  optionalText(name: string, value: string): string {
    return this.has(name, value.length > 0) ? this.text(name, value) : value;
  }

  /** Left out where it is false. */
  optionalBool(name: string, value: bool): bool {
    return this.has(name, value) ? this.bool(name, value) : value;
  }

  /** Left out where it is `absent`. */
  optionalWithin(name: string, value: i64, absent: i64, least: i64, most: i64): i64 {
    return this.has(name, value != absent) ? this.within(name, value, least, most) : value;
  }

  /** Left out where it is 0. */
  optionalU32(name: string, value: u32): u32 {
    return this.has(name, value != 0) ? this.u32(name, value) : value;
  }

  /** Left out where it is `NO_TIME`. */
  optionalTime(name: string, value: i64): i64 {
    return this.has(name, value != NO_TIME) ? this.number(name, value) : value;
  }

  /** Left out where it has no bytes. */
  optionalDocument(name: string, json: Uint8Array): Uint8Array {
    return this.has(name, json.length > 0) ? this.document(name, json) : json;
  }
}

/** A part that a record may have. `fieldsOf` makes one where it is given none. */
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

/** A list of parts; one that is read is empty before. */
export function listOf<T>(
  fields: Fields,
  name: string,
  list: T[],
  fieldsOf: (fields: Fields, item: T | null) => T,
): void {
  const length = fields.beginList(name, list.length);
  for (let i = 0; i < length; i++) {
    fields.beginItem(i);
    const item = fieldsOf(fields, i < list.length ? list[i] : null);
    if (i == list.length) list.push(item);
    fields.end();
  }
  fields.endList();
}

/** The same, but a list without items is left out. */
export function optionalListOf<T>(
  fields: Fields,
  name: string,
  list: T[],
  fieldsOf: (fields: Fields, item: T | null) => T,
): void {
  if (fields.has(name, list.length > 0)) listOf<T>(fields, name, list, fieldsOf);
}
