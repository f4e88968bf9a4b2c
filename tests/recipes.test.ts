// The recipes of .github/CONTRIBUTING.md name every source file of their examples, in a list without gaps.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./support/engines.js";

const PAGE = ".github/CONTRIBUTING.md";
/** Every file here that has the example's name is a step of the recipe. */
const SOURCES = ["core/assembly", "core/wit", "hosts", "runtime-linux", ":!*.md"];
/** Every file here that has it is in the recipe's list of tests. Test files and goldens may have more of them. */
const TEST_SOURCES = ["tests/core/*.ts", "tests/model/*.ts", "tests/simulator/*.ts", ":!*.test.ts"];
const RECIPES = [
  "A new field of create",
  "A new endpoint",
  "A new effect",
  "A new fault of the simulator",
  "A new program of the simulated host",
];

interface Recipe {
  readonly title: string;
  /** A regular expression: what the example is called. */
  readonly example: string;
  /** Paths of the numbered steps, and of the tests. */
  readonly steps: readonly string[];
  readonly tests: readonly string[];
  readonly numbers: readonly number[];
}

const recipes = readFileSync(join(ROOT, PAGE), "utf8").split(/^## /m).slice(1).map(readRecipe);

test("there are five of them", () => {
  expect(recipes.map(({ title }) => title)).toEqual(RECIPES);
});

describe.each(recipes)("$title", ({ example, steps, tests, numbers }) => {
  test("its steps are numbered in order", () => {
    expect(numbers).toEqual(steps.map((_, index) => index + 1));
  });

  test("each source file of the example is a step, and each step is one of them", () => {
    const isSource = (path: string): boolean => !path.endsWith(".md");
    expect(steps.filter(isSource).toSorted()).toEqual(filesWith(example, SOURCES));
  });

  test("each file of the simulator, the model and the core's tests that has the example is named", () => {
    expect(filesWith(example, TEST_SOURCES).filter((path) => !tests.includes(path))).toEqual([]);
  });

  test("each page and test that it names is about the example", () => {
    const others = [...steps.filter((path) => path.endsWith(".md")), ...tests];
    expect(tests.length).toBeGreaterThan(0);
    expect(others.toSorted()).toEqual(filesWith(example, others));
  });
});

function readRecipe(text: string): Recipe {
  const [title = ""] = text.split("\n");
  const [, example = ""] = /^<!-- example: (.+) -->$/m.exec(text) ?? [];
  const numbered = [...text.matchAll(/^(\d+)\. `([^`]+)`:/gm)];
  return {
    title,
    example,
    steps: numbered.map(([, , path = ""]) => path),
    numbers: numbered.map(([, number]) => Number(number)),
    tests: [...text.matchAll(/^- `([^`]+)`:/gm)].map(([, path = ""]) => path),
  };
}

/** Tracked files with a match, sorted. */
function filesWith(example: string, paths: readonly string[]): string[] {
  const { stdout } = spawnSync("git", ["grep", "-lP", example, "--", ...paths], { cwd: ROOT, encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((path) => path !== "")
    .toSorted();
}
