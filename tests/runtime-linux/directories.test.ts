// Directories that the engine removes again.

import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { makePrivate, makeSpread, removeAll, removeEmpty, removeFile } from "../../runtime-linux/directories.js";
import { libc } from "../../runtime-linux/kernel/libc.js";
import { run } from "../support/commands.js";
import { memoryDirectory } from "../support/memory-directory.js";
import { turnsDuring } from "../support/measured/turns.js";

// On a disk, making thousands of files takes several times as long.
const scratch = mkdtempSync(join(memoryDirectory(), "coracle-directories-"));
const onDisk = mkdtempSync(join(tmpdir(), "coracle-directories-"));
afterAll(() => {
  for (const place of [scratch, onDisk]) rmSync(place, { recursive: true, force: true });
});

test("a private directory stays private, even if another program made it, and others cannot get into it", () => {
  const place = join(scratch, "above/private");
  makePrivate(place);
  expect(statSync(place).mode & 0o777).toBe(0o700);
  chmodSync(place, 0o755);
  makePrivate(place);
  expect(statSync(place).mode & 0o777).toBe(0o700);
});

test("trees in a directory are to be kept apart; where the file system cannot, the directory is there all the same", async () => {
  const told: string[] = [];
  const refusing = {
    ...libc,
    spreadBelow: (fd: number) => {
      told.push(readlinkSync(`/proc/self/fd/${fd}`));
      throw new Error("ENOTTY");
    },
  };
  const place = join(scratch, "trees/spread");
  makeSpread(place, 0o711, refusing);
  expect(told).toEqual([place]);
  expect(statSync(place).mode & 0o777).toBe(0o711);

  const directory = join(onDisk, "spread");
  const { stdout: type } = await run(["stat", "-f", "-c", "%T", onDisk]);
  makeSpread(directory, 0o700, libc);
  if (type.trim() !== "ext2/ext3") return console.log(`skipped: flags of ext4: ${onDisk} is on ${type.trim()}`);
  expect((await run(["lsattr", "-d", directory])).stdout).toMatch(/^\S*T\S* /);
});

test.each([
  ["in memory", scratch],
  ["on a disk", onDisk],
])("a directory %s is removed completely, but not the targets of its links", async (_, place) => {
  const [directory, outside] = [join(place, "all"), join(place, "outside")];
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

test.each([
  ["in memory", scratch],
  ["on a disk", onDisk],
])("what is missing %s counts as removed, and a directory with something in it is left", async (_, place) => {
  const [directory, file] = [join(place, "kept"), join(place, "kept/file")];
  mkdirSync(directory);
  writeFileSync(file, "");
  await removeEmpty(directory);
  expect(existsSync(file)).toBe(true);
  await removeFile(file);
  await removeFile(file);
  await removeFile(join(file, "below"));
  await removeEmpty(directory);
  expect(existsSync(directory)).toBe(false);
  await removeEmpty(directory);
  await removeAll(directory);
});

test("a directory in memory is removed before the call returns: no thread has to take part", () => {
  if (memoryDirectory() === tmpdir()) return console.log("skipped: no file system in memory");
  const directory = join(scratch, "at-once");
  mkdirSync(join(directory, "empty"), { recursive: true });
  writeFileSync(join(directory, "file"), "");
  const removed = removeAll(directory);
  expect(existsSync(join(directory, "file"))).toBe(false);
  return removed;
});
