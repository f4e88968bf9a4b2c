// Kinds of options that become fields.

import { Wrong } from "../wrong.js";
import { add, put, type Field } from "./body.js";
import { bytesOf, durationOf, integerOf, pairs } from "./sizes.js";

type Read = (values: readonly string[]) => unknown;

function field(name: string, place: string, read: Read, isFlag = false): Field {
  return { name, place, isFlag, put: (body, values) => put(body, place, read(values)) };
}

const last =
  (read: (value: string) => unknown): Read =>
  (values) =>
    read(values.at(-1)!);

export const flag = (name: string, place: string): Field =>
  field(
    name,
    place,
    last((value) => value === "true"),
    true,
  );
export const text = (name: string, place: string): Field =>
  field(
    name,
    place,
    last((value) => value),
  );
export const integer = (name: string, place: string): Field => field(name, place, last(integerOf));
export const bytes = (name: string, place: string): Field => field(name, place, last(bytesOf));
export const duration = (name: string, place: string): Field => field(name, place, last(durationOf));
export const read = (name: string, place: string, one: (value: string) => unknown): Field =>
  field(name, place, last(one));
export const map = (name: string, place: string, sign = "="): Field =>
  field(name, place, (values) => pairs(values, sign));

/** Adds one element each time the option is given. */
export function list(name: string, place: string, element: (value: string) => unknown = (value) => value): Field {
  return { name, place, isFlag: false, put: (body, values) => add(body, place, values.map(element)) };
}

/** An option without a field: `place` says what happens to it. */
export function elsewhere(name: string, place: string, isFlag = false): Field {
  return { name, place, isFlag, put: null };
}

/** An option that cannot be sent from the page: `place` says why. */
export function refused(name: string, place: string, isFlag = false): Field {
  return {
    ...elsewhere(name, place, isFlag),
    put: (_body, values) => {
      throw new Wrong(`it cannot be used here: ${place}`, values.at(-1)!);
    },
  };
}

export function since(version: string, one: Field): Field {
  return { ...one, since: version };
}
