// What a value asks for: nothing, or something; and which field of an object asks for what is not built.

import { Json, JsonKind } from "./json";
import { Effect, Field, FieldType, Table } from "./table";
import { jsonBytes } from "./writer";
import { decodeUtf8 } from "../text/utf8";

/** The first field that asks for something not built, with its path: `HostConfig.Privileged`; empty if there is none. */
export function refusedField(value: Json, table: Table, path: string): string {
  for (let i = 0; i < table.fields.length; i++) {
    const field = table.fields[i];
    const given = value.entry(field.name);
    if (given === null || given.isNull) continue;
    const where = path.length > 0 ? path + "." + field.name : field.name;
    if (field.effect == Effect.Refused && !asksNothing(given, field)) return where;
    const inner = refusedInside(given, field, where);
    if (inner.length > 0) return inner;
  }
  return "";
}

/** Whether a value is Go's zero, or holds nothing but zeros. */
export function isZero(value: Json): bool {
  switch (value.kind) {
    case JsonKind.Bool:
      return !value.bool;
    case JsonKind.Number:
      return value.text == "0" || value.text == "-0";
    case JsonKind.String:
      return value.text.length == 0;
    case JsonKind.Array:
    case JsonKind.Object:
      for (let i = 0; i < value.items.length; i++) {
        if (!isZero(value.items[i])) return false;
      }
      return true;
    default:
      return true;
  }
}

function refusedInside(value: Json, field: Field, path: string): string {
  const table = field.table;
  if (table === null) return "";
  if (field.type == FieldType.Struct) return refusedField(value, table, path);
  for (let i = 0; i < value.items.length; i++) {
    const name = value.isObject ? path + "." + value.keys[i] : path;
    const item = value.items[i];
    if (item.isObject) {
      const inner = refusedField(item, table, name);
      if (inner.length > 0) return inner;
    }
  }
  return "";
}

function asksNothing(value: Json, field: Field): bool {
  if (!field.pointer && isZero(value)) return true;
  return field.neutral.length > 0 && field.neutral.includes(decodeUtf8(jsonBytes(value)));
}
