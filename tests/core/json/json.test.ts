// The core's JSON: a parsed document is written again unchanged, and errors have Go's messages.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("json-door");
}, 60_000);

describe("a document that is parsed and written again", () => {
  test.each([
    ["{}"],
    ["[]"],
    ["null"],
    ['{"a":[1,-0.5e+10,true,false,null,"x"],"b":{"c":""}}'],
    ['{"big":123456789012345678901234567890}'],
    ['["ä€😀"]'],
    ["[[],[[]],{}]"],
  ])("%s stays the same", (text) => {
    expect(door.text("roundTrip", text)).toBe(text);
  });

  test("spaces go, escapes are resolved, order and duplicates stay", () => {
    expect(door.text("roundTrip", ' { "b" : 1 ,\n"a":2,\t"b":3}\r\n')).toBe('{"b":1,"a":2,"b":3}');
    expect(door.text("roundTrip", '["\\u0041\\/\\n\\b\\f\\r\\t\\"\\\\ \\ud83d\\ude00 \\u2028 \\u0001"]')).toBe(
      '["A/\\n\\b\\f\\r\\t\\"\\\\ 😀 \\u2028 \\u0001"]',
    );
  });

  test("control characters are escaped, the first, the last, and no others", () => {
    expect(door.text("roundTrip", '["\\u0000\\u001f\\u0020\\u007f"]')).toBe('["\\u0000\\u001f \x7f"]');
  });

  test("a character of its own kind is found at any place of a text of any length", () => {
    // Neighbours of the characters that must be escaped, in the code and in the text.
    const others = " !#[]~\x7f".repeat(4);
    for (const special of ['"', "\\", "\n", "\0", "\x1f", "\x80", "ä", "Ģ", "⠢", "\u2028", "€", "😀"]) {
      for (let length = 0; length < 20; length++) {
        for (let at = 0; at <= length; at++) {
          const texts = [others.slice(0, at) + special + others.slice(at, length)];
          expect(JSON.parse(door.text("roundTrip", JSON.stringify(texts)))).toEqual(texts);
        }
      }
    }
  });

  test("surrogates without a partner become U+FFFD", () => {
    expect(door.text("roundTrip", '["\\ud83d","\\ude00x","\\ud83d\\u0041","\\ud83d\\ud83d\\ude00"]')).toBe(
      '["\ufffd","\ufffdx","\ufffdA","\ufffd😀"]',
    );
    expect(door.text("surrogates")).toBe('["\\ufffd","\\ufffdx"]');
  });

  test("each byte that is not UTF-8 becomes one U+FFFD", () => {
    const bad = [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xe2, 0x82, 0x41, 0xf4, 0x90, 0x80, 0x80, 0xf0, 0x9f];
    const answer = door.text("roundTrip", Uint8Array.of(0x5b, 0x22, ...bad, 0x22, 0x5d));
    expect(answer).toBe(`["${"\ufffd".repeat(8)}A${"\ufffd".repeat(6)}"]`);
  });
});

describe("an invalid document gets Go's error message", () => {
  test.each([
    ["", "EOF", 0],
    [" \n", "EOF", 2],
    ["{", "unexpected EOF", 1],
    ['{"a', "unexpected EOF", 3],
    ['{"a":', "unexpected EOF", 5],
    ["tru", "unexpected EOF", 3],
    ['"\\u12', "unexpected EOF", 5],
    ["-", "unexpected EOF", 1],
    ["{bad", "invalid character 'b' looking for beginning of object key string", 1],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string", 7],
    ["[1}", "invalid character '}' after array element", 2],
    ["[,]", "invalid character ',' looking for beginning of value", 1],
    ["[1,]", "invalid character ']' looking for beginning of value", 3],
    ['{"a" 1}', "invalid character '1' after object key", 5],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair", 7],
    ['{"a":01}', "invalid character '1' after object key:value pair", 6],
    ["nul}", "invalid character '}' in literal null (expecting 'l')", 3],
    ["-x", "invalid character 'x' in numeric literal", 1],
    ["1.x", "invalid character 'x' after decimal point in numeric literal", 2],
    ["1e}", "invalid character '}' in exponent of numeric literal", 2],
    ['"\\x"', "invalid character 'x' in string escape code", 2],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape", 5],
    ['"a\nb"', "invalid character '\\n' in string literal", 2],
    ['"\x00"', "invalid character '\\x00' in string literal", 1],
    ['"\x1f"', "invalid character '\\x1f' in string literal", 1],
    ["'a'", "invalid character '\\'' looking for beginning of value", 0],
    ["\\", "invalid character '\\\\' looking for beginning of value", 0],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value", 0],
    ["{} {}", "unexpected content after JSON", 3],
    ["{}x", "unexpected content after JSON", 2],
  ])("%j", (text, error, offset) => {
    expect(JSON.parse(door.text("roundTrip", text))).toEqual({ error, offset });
  });

  test("more than 100 levels are refused, 100 are not", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(door.text("roundTrip", nested(100))).toBe(nested(100));
    expect(JSON.parse(door.text("roundTrip", nested(101)))).toMatchObject({ error: "exceeded max depth" });
    expect(JSON.parse(door.text("roundTrip", '{"a":'.repeat(3_000_000)))).toMatchObject({
      error: "exceeded max depth",
    });
  });

  test("a body of only empty arrays does not exhaust the memory", () => {
    const flood = `[${"[],".repeat(1_400_000)}[]]`;
    expect(JSON.parse(door.text("roundTrip", flood))).toMatchObject({ error: "too many values" });
    expect(door.memorySize).toBeLessThan(256 * 1024 * 1024);
  });
});

describe("members", () => {
  const find = (object: string, key: string) => JSON.parse(door.text("find", `{"key":"${key}","object":${object}}`));

  test("exact names before case-insensitive ones, the last of each; `entry` matches only exact names", () => {
    expect(find('{"A":1,"a":2,"A":3}', "A")).toEqual([3, 3]);
    expect(find('{"image":1,"IMAGE":2}', "Image")).toEqual([2, "nothing"]);
    expect(find('{"x":1}', "Image")).toEqual(["nothing", "nothing"]);
    expect(find('{"\\u212aey\u017f":1}', "Keys")).toEqual([1, "nothing"]);
  });
});

test("integers are exact to 64 bits and never silently wrong", () => {
  const list =
    "[9223372036854775807,9223372036854775808,-9223372036854775808,-9223372036854775809,18446744073709551615,";
  expect(JSON.parse(door.text("integers", `${list}18446744073709551616,1.0,1e3,-0,"5"]`))).toEqual([
    [true, "9223372036854775807", true, "9223372036854775807"],
    [false, "0", true, "9223372036854775808"],
    [true, "-9223372036854775808", false, "0"],
    [false, "0", false, "0"],
    [false, "0", true, "18446744073709551615"],
    [false, "0", false, "0"],
    [false, "0", false, "0"],
    [false, "0", false, "0"],
    [true, "0", false, "0"],
    [false, "0", false, "0"],
  ]);
});

test("the writer puts commas, grows, and spells numbers out", () => {
  expect(door.text("written")).toBe(
    '{"s":"a<b>&\\u2028","min":-9223372036854775808,"t":true,"n":null,"max":18446744073709551615,' +
      '"f":1.5,"whole":3,"none":null,"list":["x","y"],"raw":[1],"o":{},"a":[[],-7]}',
  );
});

test("lines of a stream are separated, and escape HTML on request", () => {
  expect(door.text("lines", '[{"a":"<=>&"},1]')).toBe('{"a":"\\u003c=\\u003e\\u0026"}\r\n1\r\n');
});

test("a document cut off or corrupted anywhere never traps, and a parsed one agrees with JSON.parse", () => {
  const random = randomFrom(7);
  const whole = new TextEncoder().encode(
    '{"a":[1,2.5e-3,{"b\\u00e9\\ud83d\\ude00":"ä\\n"}],"c":null,"d":[true,false,""]}',
  );
  for (let round = 0; round < 4000; round++) {
    const bytes = whole.slice(0, 1 + random(whole.length));
    for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = random(256);
    const answer: unknown = JSON.parse(door.text("roundTrip", bytes));
    const text = Buffer.from(bytes).toString("utf8");
    const error = answer !== null && typeof answer === "object" && "error" in answer;
    // With invalid UTF-8 or a lone surrogate, JSON.parse would see a different text.
    if (!error && !text.includes("\ufffd") && !JSON.stringify(answer).includes("\ufffd")) {
      expect(answer).toEqual(JSON.parse(text));
    }
  }
});

test("random bytes never trap", () => {
  const random = randomFrom(11);
  const alphabet = '{}[]:,"\\truefalsn0123-+.eE \n\u00ff';
  for (let round = 0; round < 4000; round++) {
    const bytes = Uint8Array.from({ length: random(40) }, () => alphabet.charCodeAt(random(alphabet.length)));
    JSON.parse(door.text("roundTrip", bytes));
  }
});

describe("members of a stored object", () => {
  const object = {
    plain: 1,
    'quote"d': 2,
    text: 'a "b", {c} [d] \\',
    list: [1, [2, { x: "]" }], {}],
    nested: { text: 0, plain: { "}": "{" } },
    last: null,
  };
  const names = Object.keys(object).filter((name) => name !== 'quote"d');

  test.each([[names], [[...names].reverse()], [["last", "last", "plain", "x", "", "plai", "plains", "text"]]])(
    "are found by name, in any order: %j",
    (asked) => {
      const expected = asked.map((name) => (name in object ? object[name as keyof typeof object] : "nothing"));
      expect(JSON.parse(door.text("members", JSON.stringify({ names: asked, object })))).toEqual(expected);
    },
  );

  test("do not exist in an empty one", () => {
    expect(door.text("members", '{"names":["a"],"object":{}}')).toBe('["nothing"]');
  });

  test("are copied unchanged", () => {
    expect(door.text("copiedMembers", '{"b":[1,{"a":2}],"a":"x,}","d":0,"c":-1e3}')).toBe(
      '{"a":"x,}","b":[1,{"a":2}],"c":-1e3}',
    );
    for (const whole of ['{"a":"x,\\"","b":[],"c":{"d":"}"}}', '{"a":1,"b":2}', '{"b":{},"c":"x"}', '{"c":0}', "{}"])
      expect(door.text("copiedMembers", whole)).toBe(whole);
    expect(door.text("copiedMembers", '{"z":0,"a":1,"y":0,"b":2,"c":3,"x":0}')).toBe('{"a":1,"b":2,"c":3}');
    expect(door.text("copiedMembers", '{"c":3,"a":1,"b":2}')).toBe('{"a":1,"b":2,"c":3}');
  });

  test("are not found in bytes that are not an object", () => {
    const whole = '{"a":[1,{"b":"\\"2"}],"c":"x"}';
    for (let end = 0; end < whole.length; end++) door.text("copiedMembers", whole.slice(0, end));
    for (const bytes of ['"', '{"', '{"a', '{"a"', '{"a":', '{"a":"\\', "}}}}", '{"a":1}}}', "\\\\\\\\"])
      expect(door.text("copiedMembers", bytes)).toMatch(/^\{.*\}$/);
  });
});
