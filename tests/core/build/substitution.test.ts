// Variables in words of a Dockerfile: every operator, quotes and escapes.

import { beforeAll, describe, expect, test } from "vitest";
import { type Door, openDoor, randomFrom } from "../support/door.js";

let door: Door;
beforeAll(async () => {
  door = await openDoor("build-door");
}, 60_000);

const VALUES = { a: "x", e: "", path: "a/b/c.tar.gz", s: "1 2", star: "a*b", d: "aXbXc" };
const substituted = (text: string) => door.call("substituted", text, VALUES, false) as string | [string, string[]];
const result = (text: string) => {
  const got = substituted(text);
  return typeof got === "string" ? `! ${got}` : got[0];
};

describe("a word", () => {
  test.each([
    ["", ""],
    ["b", "b"],
    ["$a", "x"],
    ["$a$a-$b", "xx-"],
    ["${a}b", "xb"],
    ["$ab", ""],
    ["$a.b", "x.b"],
    ["$aé", ""],
    ["$a×", "x×"],
    ["$", "$"],
    ["a$", "a$"],
    ["$/a", "$/a"],
    ["$1$$x${1}$@", "x"],
    ["'$a'", "$a"],
    ["\"$a 'b'\"", "x 'b'"],
    ["\\$a", "$a"],
    ['"\\$a \\" \\\\ \\h"', '$a " \\ \\h'],
    ["\\h\\\\", "h\\"],
    ["a\\", "a"],
    ["'\\'", "\\"],
    ["${a:-b}", "x"],
    ["${e:-b}", "b"],
    ["${e-b}", ""],
    ["${u-b}", "b"],
    ["${u:-$a}", "x"],
    ["${u:-${v:-${a}}}", "x"],
    ["${u:-'b c'}", "b c"],
    ["${u:-\\}}", "}"],
    ["${u:-}", ""],
    ["${a:+b}", "b"],
    ["${e:+b}", ""],
    ["${e+b}", "b"],
    ["${u+b}", ""],
    ["${a?no}", "x"],
    ["${e?no}", ""],
    ["${path#*/}", "b/c.tar.gz"],
    ["${path##*/}", "c.tar.gz"],
    ["${path%.*}", "a/b/c.tar"],
    ["${path%%.*}", "a/b/c"],
    ["${path#b}", "a/b/c.tar.gz"],
    ["${path#a?b}", "/c.tar.gz"],
    ["${path%???}", "a/b/c.tar"],
    ["${path#*}", "a/b/c.tar.gz"],
    ["${path##*}", ""],
    ["${u#*}", ""],
    ["${star#a\\*}", "b"],
    ["${path//\\//_}", "a_b_c.tar.gz"],
    ["${path/\\//_}", "a_b/c.tar.gz"],
    ["${d/X/-}", "a-bXc"],
    ["${d//X/-}", "a-b-c"],
    ["${d//X*/-}", "a-"],
    ["${d//?/-}", "-----"],
    ["${d//X/}", "abc"],
    ["${d/$a/-}", "aXbXc"],
    ["${d//nothing/-}", "aXbXc"],
    ["${d//*/-}", "-"],
    ["${a///-}", "-x-"],
    ["${u/a/b}", ""],
  ])("%s: %s", (text, expected) => {
    expect(result(text)).toBe(expected);
  });

  test.each([
    ["${", "syntax error: missing '}'"],
    ["${a", "syntax error: missing '}'"],
    ["${u:-b", "syntax error: missing '}'"],
    ["${}", "syntax error: bad substitution"],
    ["${{a}}", "syntax error: bad substitution"],
    ["${:a}", "syntax error: bad substitution"],
    ["${a:x}", "unsupported modifier (:x) in substitution"],
    ["${a.b}", "unsupported modifier (.) in substitution"],
    ["${a/b}", "syntax error: missing '/' in ${}"],
    ["${a/b/c", "syntax error: missing '}'"],
    ["${u:?gone away}", "u: gone away"],
    ["${u?}", "u: is not allowed to be unset"],
    ["${e:?}", "e: is not allowed to be empty"],
    ["${a#\\x}", "invalid pattern (\\x) in substitution: invalid escape '\\x'"],
    ['"a', "unexpected end of statement while looking for matching double-quote"],
    ["'a", "unexpected end of statement while looking for matching single-quote"],
  ])("%s: %s", (text, problem) => {
    expect(result(text)).toBe(`! failed to process ${JSON.stringify(text)}: ${problem}`);
  });
});

test("white space of a value separates words, unless it is quoted", () => {
  const words = (text: string) => substituted(text)[1];
  expect(words("$s")).toEqual(["1", "2"]);
  expect(words("a$s")).toEqual(["a1", "2"]);
  expect(words('"$s"')).toEqual(["1 2"]);
  expect(words("'1 2'3 \\ 4")).toEqual(["1 23", " 4"]);
  expect(words("$u")).toEqual([]);
  expect(words("${u:-1 2}")).toEqual(["1", "2"]);
});

test("substitutions are nested 64 deep, and patterns are not too long", () => {
  const nested = (depth: number) => result(`${"${u:-".repeat(depth)}b${"}".repeat(depth)}`);
  expect(nested(64)).toBe("b");
  expect(nested(65)).toContain("substitutions are nested more than 64 deep");
  const value = "a".repeat(10_000);
  const long = (size: number) => door.call("substituted", `\${v#${"a".repeat(size)}b}`, { v: value }, false);
  expect(long(1_000)).toEqual([value, [value]]);
  expect(long(2_000)).toContain("the pattern in a substitution is too long");
});

test("no text makes it trap", () => {
  const pieces = [
    "$",
    "{",
    "}",
    ":",
    "-",
    "+",
    "?",
    "#",
    "%",
    "/",
    "*",
    "\\",
    "'",
    '"',
    " ",
    "a",
    "path",
    "u",
    "e",
    "1",
  ];
  const random = randomFrom(99);
  for (let i = 0; i < 3000; i++) {
    let text = "";
    for (let length = random(25); length > 0; length--) text += pieces[random(pieces.length)] ?? "";
    const got = substituted(text);
    expect(typeof got === "string" ? got : got[0].length).toBeDefined();
  }
});
