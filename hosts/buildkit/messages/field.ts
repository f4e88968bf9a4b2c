// How a message of BuildKit is written down: its fields by name, with the published number and type of each.

/**
 * What a field holds. `raw` are bytes that never become JSON. Other messages are functions, since messages may hold each
 * other.
 */
export type FieldType = "string" | "bytes" | "raw" | "bool" | "int32" | "int64" | "uint32" | "time" | (() => Message);

/** One field. In JSON a `map` is an object, `many` is a list, and `bytes` are base64. */
export interface Field {
  number: number;
  type: FieldType;
  /** Missing: one value. */
  as?: "many" | "map";
}

/** All fields that we read or write. A decoder skips others. */
export type Message = Readonly<Record<string, Field>>;

export function one(number: number, type: FieldType = "string"): Field {
  return { number, type };
}

export function many(number: number, type: FieldType = "string"): Field {
  return { number, type, as: "many" };
}

/** Its keys are strings. */
export function map(number: number, type: FieldType = "string"): Field {
  return { number, type, as: "map" };
}
