// What the search of tests for secrets finds.

import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { secretsIn } from "./support/secret-search.js";

const SECRET = "correct horse battery staple";
const MEBIBYTE = 1 << 20;

const inLine = (bytes: Buffer): Buffer => Buffer.from(`{"deflated":"${bytes.toString("base64")}"}`);

test.for([
  ["plain", Buffer.from(SECRET)],
  ["in UTF-16", Buffer.from(SECRET, "utf16le")],
  ["in base64, after other bytes", Buffer.from(Buffer.from(`ab${SECRET}`).toString("base64"))],
  ["twice in base64", Buffer.from(Buffer.from(Buffer.from(SECRET).toString("base64")).toString("base64"))],
  ["deflated, in base64", inLine(deflateRawSync(SECRET))],
  ["in base64 inside what is deflated", inLine(deflateRawSync(Buffer.from(SECRET).toString("base64")))],
] as const)("a secret is found %s", ([, bytes]) => {
  const around = Buffer.concat([Buffer.from('\0"some": '), bytes, Buffer.from('"\n')]);
  expect(secretsIn(around, [SECRET, "another"])).toEqual([SECRET]);
});

test("at the end of many megabytes in base64", () => {
  const long = Buffer.concat([Buffer.alloc(18 * MEBIBYTE, 7), Buffer.from(SECRET)]).toString("base64");
  expect(secretsIn(Buffer.from(long), [SECRET, "another"])).toEqual([SECRET]);
});

test("what only looks deflated is searched as text", () => {
  expect(secretsIn(Buffer.from(`{"deflated":"\${${SECRET}}"}`), [SECRET])).toEqual([SECRET]);
});
