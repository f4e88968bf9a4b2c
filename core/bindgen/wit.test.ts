// Tests the WIT reader: what it accepts, and its error messages for everything else.

import { expect, test } from "vitest";
import { readWit } from "./wit.js";

const WORLD = "package a:b;\nworld w { import i; }\n";

test("types, fields and documentation", () => {
  const world = readWit(`${WORLD}
    interface i {
      use types.{other};
      /// A record.
      /// Two lines.
      record r {
        /// Its field.
        %from: option<list<tuple<string, u8>>>, // a remark
        last: result<other, e>
      }
      enum e { one, two-words }
      type other = string;
      /// Does.
      do-it: func(it: r);
    }`);
  expect(world).toMatchObject({ package: "a:b", name: "w", imports: ["i"], exports: [] });
  expect(world.types.get("r")).toEqual({
    kind: "record",
    name: "r",
    interface: "i",
    doc: ["A record.", "Two lines."],
    fields: [
      {
        name: "from",
        doc: ["Its field."],
        type: { kind: "option", of: { kind: "list", of: { kind: "tuple", first: STRING, second: U8 } } },
      },
      {
        name: "last",
        doc: [],
        type: { kind: "result", ok: { kind: "named", name: "other" }, error: { kind: "named", name: "e" } },
      },
    ],
  });
  expect(world.interfaces.get("i")?.functions).toEqual([
    { name: "do-it", doc: ["Does."], line: 16, params: [{ name: "it", doc: [], type: { kind: "named", name: "r" } }] },
  ]);
});

const STRING = { kind: "primitive", name: "string" };
const U8 = { kind: "primitive", name: "u8" };

test.each([
  [
    "interface i {\n  f: func() -> u32;\n}",
    "WIT line 4: function f returns a value, but information may enter only through inputs",
  ],
  ["interface i { resource r { } }", 'WIT line 3: this generator does not support "resource"'],
  ["interface i { flags f { a } }", 'WIT line 3: this generator does not support "flags"'],
  ["interface i { record r { a: tuple<u8> } }", "WIT line 3: expected 2 type(s), not 1"],
  ["interface i { record r { a: missing } }", "WIT type r: missing is not defined"],
  ["interface i { record r { a: u8 } enum r { b } }", "WIT line 3: type r is defined twice"],
  ["interface i { record r { a u8 } }", 'WIT line 3: expected ":", not "u8"'],
  ["interface i {", "WIT line 3: unexpected end of the text"],
  ["interface i { # }", "WIT line 3: cannot read this line"],
])("%s", (text, message) => {
  expect(() => readWit(WORLD + text)).toThrow(message);
});
