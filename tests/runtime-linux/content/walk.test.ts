// Walking all files of a tree, however deep it is.

import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { walk } from "../../../runtime-linux/content/files/walk.js";
import { removeAll } from "../../../runtime-linux/directories.js";
import { memoryDirectory } from "../../support/memory-directory.js";

// On a disk, making thousands of files takes several times as long.
const scratch = mkdtempSync(join(memoryDirectory(), "coracle-walk-"));
afterAll(() => removeAll(scratch));

const DEPTH = 300;
const NAME = "d".repeat(20);

test("a deep tree is walked in order, with few descriptors", async () => {
  const tree = treeOf("deep");
  const before = descriptors();
  const names: string[] = [];
  let most = 0;
  for await (const { name } of walk(tree)) {
    names.push(name);
    most = Math.max(most, descriptors() - before);
  }
  const at = (depth: number, name: string): string => [...Array<string>(depth).fill(NAME), name].join("/");
  const down = Array.from({ length: DEPTH }, (_, depth) => [at(depth, "a"), at(depth, NAME)]).flat();
  const up = Array.from({ length: DEPTH }, (_, depth) => at(DEPTH - 1 - depth, "z"));
  expect(names).toEqual([...down, ...up]);
  expect(most).toBeLessThan(80);
  expect(descriptors()).toBe(before);
});

test("a walk does not leave its tree if a deep directory is moved away", async () => {
  const tree = treeOf("moving");
  const before = descriptors();
  const moved = join(tree, ...Array<string>(100).fill(NAME));
  const walking = async (): Promise<void> => {
    for await (const { name } of walk(tree)) {
      if (name.split("/").length === DEPTH && name.endsWith("a")) renameSync(moved, join(scratch, "elsewhere"));
    }
  };
  await expect(walking()).rejects.toMatchObject({ failure: { tag: "faulty-name", val: { what: "moved-out" } } });
  expect(descriptors()).toBe(before);
});

test("a directory of very many files is walked in order, without blocking other work", async () => {
  const tree = join(scratch, "full");
  mkdirSync(tree);
  for (let at = 0; at < 100_000; at++) closeSync(openSync(join(tree, `${(at * 7919) % 100_000}`), "w"));
  const before = descriptors();
  const names: string[] = [];
  let walks = true;
  let mostInATurn = 0;
  const othersTurn = (told: number): void => {
    mostInATurn = Math.max(mostInATurn, names.length - told);
    if (walks) setImmediate(othersTurn, names.length);
  };
  setImmediate(othersTurn, 0);
  for await (const { name } of walk(tree)) names.push(name);
  walks = false;
  await nextTurn();
  expect(names).toEqual(Array.from({ length: 100_000 }, (_, at) => `${at}`).sort());
  expect(descriptors()).toBe(before);
  expect(mostInATurn).toBeLessThan(2000);
});

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Each directory contains a file, another directory and a file, in the order of their names. */
function treeOf(name: string): string {
  const tree = join(scratch, name);
  const start = process.cwd();
  mkdirSync(tree);
  process.chdir(tree);
  for (let depth = 0; depth < DEPTH; depth++) {
    for (const file of ["a", "z"]) writeFileSync(file, "");
    mkdirSync(NAME);
    process.chdir(NAME);
  }
  process.chdir(start);
  return tree;
}
