// Values that a client should not send but some do.
import fc from "fast-check";

/** Marks text that appears in JSON without quotes: numbers too large for JavaScript, broken escapes. */
const RAW = "@raw:";

const ODD_TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "1.5",
  "1e999",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "NaN",
  "null",
  "true",
  "{}",
  "[]",
  '{"label":[',
  "%",
  "%zz",
  "..",
  "../../etc/passwd",
  "a/../../b",
  "\0",
  "a\r\nX-Injected: 1",
  "\u001b[31m",
  "\u202e\u0000\ufeff",
  "\ud83d\ude00",
  "\u0130\u0131\u1e9e",
  "e\u0301".repeat(50),
  "=",
  "a=b=c",
  ":",
  "a:b:c:d",
  "x".repeat(300),
  "x".repeat(70_000),
  "(".repeat(200),
  "*".repeat(500),
  "[[:alpha:]",
  "(a+)+$",
  "sha256:",
  `sha256:${"0".repeat(64)}`,
  "0".repeat(64),
];

/** Surrogate code points, which no valid text contains alone. */
const SURROGATES = { from: 0xd800, count: 0x800 };
const CODE_POINTS = 0x110000 - SURROGATES.count;

/**
 * Any code point. Gives the same values as fast-check's unit `binary`, which would make a table of all code points: 70
 * MB that every garbage collection visits.
 */
const anyCodePoint: fc.Arbitrary<string> = fc
  .nat({ max: CODE_POINTS - 1 })
  .map((at) => String.fromCodePoint(at < SURROGATES.from ? at : at + SURROGATES.count), placeOf);

/** Text of any code points. */
export function anyText(lengths: fc.StringSharedConstraints): fc.Arbitrary<string> {
  return fc.string({ unit: anyCodePoint, ...lengths });
}

/** Index among all code points; throws if it is not one. */
function placeOf(letter: unknown): number {
  const code = typeof letter === "string" ? letter.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== letter) throw new Error("no letter");
  if (code < SURROGATES.from) return code;
  if (code < SURROGATES.from + SURROGATES.count) throw new Error("half a letter");
  return code - SURROGATES.count;
}

/** Never an absolute path, because nothing may be created outside the engine's own directories. */
export const hostileText: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
    { weight: 1, arbitrary: anyText({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
  )
  .map((text) => text.replace(/^\/+/, ""));

export const hostileNumber: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(0, -1, 1, 0.5, -0, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53), 1e21, 5e-324),
  fc
    .constantFrom("9223372036854775807", "9223372036854775808", "-9223372036854775809", "1e400", "1E-400", "01", "+1")
    .map((digits) => RAW + digits),
  fc.integer(),
);

/** A value of any type, for any place. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], { "": null }, [[]]) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 5000 }).map(nested) },
  { weight: 1, arbitrary: fc.constantFrom('"\\ud800"', '"\\x"', '{"a":1,"a":[]}', "", "nul").map((raw) => RAW + raw) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/** JSON text of a value, including raw parts. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.replace(/"@raw:((?:[^"\\]|\\.)*)"/g, (_, raw: string) => JSON.parse(`"${raw}"`) as string);
}

function nested(depth: number): string {
  return `${RAW}${"[".repeat(depth)}${"]".repeat(depth)}`;
}
