// Checks that every mutant still applies and that the tests that should find it exist, so that a changed line or title is
// reported at once and not only when all mutants are tried (tests/mutants.test.ts).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isOfHosts, mutated } from "./mutant.js";
import { MUTANTS, numberOf } from "./mutants.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

test("all mutants of a file apply, one after the other", () => {
  const texts = new Map<string, string>();
  for (const mutant of MUTANTS) {
    const path = join(ROOT, isOfHosts(mutant) ? "" : "core/assembly", mutant.file);
    texts.set(path, mutated(texts.get(path) ?? readFileSync(path, "utf8"), mutant, `isWrong(${numberOf(mutant)})`));
  }
  expect(texts.size).toBeGreaterThan(0);
});

test("the tests that should find mutants exist", () => {
  const named = MUTANTS.flatMap(({ finder }) => (typeof finder === "object" && "test" in finder ? [finder] : []));
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((finder) => !readFileSync(join(ROOT, finder.test), "utf8").includes(finder.named))).toEqual([]);
});
