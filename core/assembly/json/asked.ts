// Whether a value asks for anything, and which field of an object asks for something that is not implemented.

import { decodeUtf8 } from "../text/utf8";
import { Json, JsonKind } from "./json";
import { Effect, Field, FieldType, Table } from "./table";
import { jsonBytes } from "./writer";

/**
 * The first field that asks for something not implemented, with
 * its path: `HostConfig.Privileged`; empty if there is none.
 */
export function refusedField(value: Json, table: Table, path: string): string {
  return below(path, refusedIn(value, table));
}

// There may be tens of thousands of objects, so paths are only built for a field that was found.
function refusedIn(value: Json, table: Table): string {
  // Members are in the table's order, but some may be missing, or come late.
  let next = 0;
  for (let i = 0; i < table.fields.length; i++) {
    const field = table.fields[i];
    const isNext = next < value.keys.length && value.keys[next] == field.name;
    const given: Json | null = isNext ? value.items[next] : value.entry(field.name);
    if (isNext) next += 1;
    if (given === null || given.isNull) continue;
    if (field.effect == Effect.Refused && !asksNothing(given, field)) return field.name;
    const inner = refusedInside(given, field);
    if (inner.length > 0) return below(field.name, inner);
  }
  return "";
}

function below(path: string, inner: string): string {
  return path.length == 0 || inner.length == 0 ? inner : `${path}.${inner}`;
}

/** Whether a value is a zero value of Go's, or contains only such values. */
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

function refusedInside(value: Json, field: Field): string {
  const table = field.table;
  if (table === null) return "";
  if (field.type == FieldType.Struct) return refusedIn(value, table);
  for (let i = 0; i < value.items.length; i++) {
    if (!value.items[i].isObject) continue;
    const inner = refusedIn(value.items[i], table);
    if (inner.length > 0) return value.isObject ? below(value.keys[i], inner) : inner;
  }
  return "";
}

function asksNothing(value: Json, field: Field): bool {
  if (!field.pointer && isZero(value)) return true;
  return field.neutral.length > 0 && field.neutral.includes(decodeUtf8(jsonBytes(value)));
}
