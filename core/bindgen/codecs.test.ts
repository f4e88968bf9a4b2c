// Tests the codecs that are generated from a world: each type once, after the types that it contains, field by field.

import { expect, test } from "vitest";
import { type CodecOptions, writeCodecs } from "./codecs.js";
import { readWit } from "./wit.js";

const OPTIONS: CodecOptions = { from: "../codec.js", types: ["r"] };

function written(interfaces: string, options: Partial<CodecOptions> = {}): string {
  const world = readWit(`package a:b;\nworld w { import i; }\n${interfaces}`);
  return writeCodecs(world, { ...OPTIONS, ...options });
}

test("a type comes after the types that it contains, and unused types are left out", () => {
  expect(
    written(`
      interface t {
        type id = string;
        enum colour { red, dark-green }
        record other { a: u8 }
      }
      interface i {
        record r { the-id: id, colours: list<colour>, again: option<colour>, shape: v }
        variant v { nothing, some(tuple<id, s64>), done(result<list<u8>, colour>), many(list<u32>) }
      }`),
  ).toBe(`// Generated from the WIT world by core/bindgen.

import type * as I from "./interfaces/a-b-i.js";
import type * as T from "./interfaces/a-b-t.js";
import * as codec from "../codec.js";

export const colour = codec.enumeration<T.Colour>({
  "red": true,
  "dark-green": true,
});

export const v = codec.variant<I.V>({
  "nothing": null,
  "some": codec.pair(codec.text, codec.s64),
  "done": codec.result(codec.bytes, colour),
  "many": codec.u32s,
});

export const r = codec.record<I.R>({
  theId: codec.text,
  colours: codec.list(colour),
  again: codec.optional(colour),
  shape: v,
});
`);
});

test("lists of numbers, texts and booleans have codecs that match the hosts' types", () => {
  const text = written("interface i { record r { a: list<u64>, b: list<f32>, c: list<bool>, d: list<string> } }");
  expect(text).toContain("a: codec.u64s,");
  expect(text).toContain("b: codec.f32s,");
  expect(text).toContain("c: codec.list(codec.bool),");
  expect(text).toContain("d: codec.list(codec.text),");
});

test("only the named field has the codec of a recurring text, not others of the same name", () => {
  const text = written("interface i { record r { a: s, b: string } record s { b: string } }", { recurring: ["r.b"] });
  expect(text).toContain("a: s,\n  b: codec.recurring(),");
  expect(text).toContain("b: codec.text,");
  const without = (recurring: string) => () =>
    written("interface i { record r { a: u8 } record s { b: string } }", { recurring: [recurring] });
  for (const field of ["r.a", "s.b", "r.c"]) expect(without(field)).toThrow(`these types have no text field ${field}`);
});

test("an option outside a record's field and an undefined type are refused", () => {
  expect(() => written("interface i { variant r { a(option<u8>) } }")).toThrow(
    "an option outside a record's field cannot be encoded",
  );
  expect(() => written("interface i { record s { a: u8 } }")).toThrow("WIT type r is not defined");
});
