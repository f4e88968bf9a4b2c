// Directories that the engine removes again.

import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { makePrivate, removeAll } from "../../runtime-linux/directories.js";
import { memoryDirectory } from "../support/memory-directory.js";
import { turnsDuring } from "../support/measured/turns.js";

// On a disk, making thousands of files takes several times as long.
const scratch = mkdtempSync(join(memoryDirectory(), "coracle-directories-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("a private directory stays private, even if another program made it, and others cannot get into it", () => {
  const place = join(scratch, "above/private");
  makePrivate(place);
  expect(statSync(place).mode & 0o777).toBe(0o700);
  chmodSync(place, 0o755);
  makePrivate(place);
  expect(statSync(place).mode & 0o777).toBe(0o700);
});

test("a directory is removed completely, but not the targets of its links", async () => {
  const [directory, outside] = [join(scratch, "all"), join(scratch, "outside")];
  mkdirSync(join(directory, "deep/deeper"), { recursive: true });
  mkdirSync(join(directory, "empty"));
  mkdirSync(outside);
  for (const file of [`${directory}/file`, `${directory}/deep/deeper/file`, `${outside}/file`]) writeFileSync(file, "");
  symlinkSync(outside, join(directory, "link"));
  await removeAll(directory);
  expect(existsSync(directory)).toBe(false);
  expect(existsSync(join(outside, "file"))).toBe(true);
});

test("a directory is removed with any depth and any names", async () => {
  const directory = join(scratch, "deep");
  mkdirSync(directory);
  const start = process.cwd();
  try {
    process.chdir(directory);
    for (let depth = 0; depth < 200; depth++) {
      for (const name of [`file${depth}`, Buffer.from([0xff, 0x0a])]) writeFileSync(name, "");
      for (const name of ["d".repeat(100), "empty"]) mkdirSync(name);
      process.chdir("d".repeat(100));
    }
  } finally {
    process.chdir(start);
  }
  await removeAll(directory);
  expect(existsSync(directory)).toBe(false);
});

test("a directory is removed even if a process still writes to it for a moment", async () => {
  const directory = join(scratch, "written");
  const inner = join(directory, "inner");
  mkdirSync(inner, { recursive: true });
  for (let at = 0; at < 500; at++) writeFileSync(join(inner, `file${at}`), "");
  const removed = removeAll(directory);
  for (let at = 0; at < 100; at++) {
    if (existsSync(inner)) writeFileSync(join(inner, `late${at}`), "");
    await turn();
  }
  await removed;
  expect(existsSync(directory)).toBe(false);
});

test("a directory of very many files does not block for long, and no link is followed", async () => {
  const directory = join(scratch, "full");
  const inner = join(directory, "inner");
  const outside = join(scratch, "apart");
  for (const each of [inner, outside]) mkdirSync(each, { recursive: true });
  writeFileSync(join(outside, "file"), "");
  for (let at = 0; at < 30_000; at++) closeSync(openSync(join(inner, `file${at}`), "w"));
  symlinkSync(outside, join(inner, "link"));
  const { longest, whole } = await turnsDuring(() => removeAll(directory));
  expect([existsSync(directory), existsSync(join(outside, "file"))]).toEqual([false, true]);
  // In one piece it would be half of the time or more.
  expect(longest).toBeLessThan(whole / 3);
});

test("a missing directory counts as removed", async () => {
  await removeAll(join(scratch, "nowhere"));
});
