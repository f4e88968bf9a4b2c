// The interface between a test and a compiled library: it writes bytes in, calls a function without arguments, and
// reads bytes out.

import { Json, jsonBytes, parseJson } from "./json";

let input: Uint8Array = new Uint8Array(0);
let output: Uint8Array = new Uint8Array(0);

/** Makes room for the next input. Returns where to write it. */
export function allocate(length: i32): usize {
  input = new Uint8Array(length);
  return input.dataStart;
}

export function outputStart(): usize {
  return output.dataStart;
}

export function outputLength(): i32 {
  return output.length;
}

/** Frees unreferenced objects; only with an empty stack. */
export function collect(): void {
  __collect();
}

/** The input that the test has written. */
export function given(): Uint8Array {
  return input;
}

/** One argument of the list that the test has written. */
export function argument(index: i32): Json {
  const list = parseJson(input);
  if (list === null || index >= list.items.length) return Json.null();
  return list.items[index];
}

export function text(index: i32): string {
  return argument(index).text;
}

export function answer(value: Json): void {
  output = jsonBytes(value);
}

export function answerBytes(bytes: Uint8Array): void {
  output = bytes;
}

export function answerText(value: string | null): void {
  answer(value === null ? Json.null() : Json.string(value));
}

export function answerBool(value: bool): void {
  answer(Json.bool(value));
}
