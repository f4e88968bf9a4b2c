// Every row of the table of differences needs a test: one that names the row, or lines in the comparison
// (tests/http/compare.test.ts fails for lines that no longer differ).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DIFFERENCES } from "./reference-differences.js";
import { ROOT } from "./support/engines.js";

test("each difference is expected by a test, or has lines in the comparison", () => {
  const named = new Set(sources().flatMap((text) => [...text.matchAll(NAMED)].map((match) => match[1])));
  expect(DIFFERENCES.filter(({ id, lines = [] }) => lines.length === 0 && !named.has(id)).map(({ id }) => id)).toEqual(
    [],
  );
});

test("ids are unique", () => {
  const ids = DIFFERENCES.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
});

const NAMED = /\bexpected(?:<\w+>)?\(\s*"([\w-]+)"/g;

function sources(): string[] {
  const directory = join(ROOT, "tests");
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => readFileSync(join(directory, name), "utf8"));
}
