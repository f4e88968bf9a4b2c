// A container's log on disk: consecutive files, readers that continue across them, and limits.

import { appendFileSync, rmSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { AT, ID, LINE_BYTES, lines, textOf, logsOnDisk } from "./logs-on-disk.js";

const disk = logsOnDisk();
const { keeping, names, path, rotated, until, write } = disk;

test("a reader continues from file to file, and offsets never go back", async () => {
  write(3);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  const log = disk.logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 3));
  write(3);
  await rotated(1);
  write(2);
  expect([await log.start(), await log.size()]).toEqual([0, 80]);
  expect(await textOf(log, 30)).toBe(lines(3, 8));
  await log.close();
});

test("text over the limit is dropped in whole files, also for later readers", async () => {
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  for (const count of [2, 3, 4]) {
    await rotated(count - 1);
    write(6);
  }
  await rotated(4);
  write(1);
  await until(() => names().length === 3);
  const log = disk.logs.open(ID);
  expect(await log.read(0, new Uint8Array(10))).toBe(-1);
  expect([await log.start(), await textOf(log, await log.start())]).toEqual([180, lines(18, 25)]);
  await log.close();
});

test("a log stays within its limits while others are added all the time", async () => {
  let coming = 0;
  write(6);
  const others = setInterval(() => disk.logs.keep(`other${coming++}`, keeping({ fileBytes: 50, files: 1 })), 5);
  try {
    disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
    await rotated(1);
  } finally {
    clearInterval(others);
  }
  expect(coming).toBeGreaterThan(0);
});

test("a reader keeps removed files, which go when it is gone", async () => {
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
  const slow = disk.logs.open(ID);
  await rotated(1);
  write(6);
  await rotated(2);
  write(1);
  await until(() => names().length === 2);
  const other = disk.logs.open(ID);
  expect(await textOf(slow)).toBe(lines(0, 13));
  await other.read(120, new Uint8Array(10));
  expect(await other.start()).toBe(0);
  await slow.close();
  expect(await other.start()).toBe(120);
  await other.close();
});

test("a reader that will read again keeps what it has read", async () => {
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1 }));
  const log = disk.logs.open(ID);
  expect(await log.read(0, new Uint8Array(60), 10)).toBe(60);
  await rotated(1);
  write(6);
  await rotated(2);
  write(1);
  await until(() => names().length === 2);
  expect(await textOf(log, 10)).toBe(lines(1, 13));
  await log.close();
});

test("a reader that never reads holds back at most 64 MiB", async () => {
  const block = 16 * 1024 ** 2;
  const put = () => appendFileSync(path(), new Uint8Array(block).fill(0x0a));
  put();
  disk.logs.keep(ID, keeping({ fileBytes: block, files: 1 }));
  const idle = disk.logs.open(ID);
  for (let count = 1; count <= 7; count++) {
    await rotated(count);
    put();
  }
  await until(() => names().length <= 3);
  expect(await idle.size()).toBe(8 * block);
  expect(await idle.read(0, new Uint8Array(1))).toBe(-1);
  const held = (await idle.size()) - (await idle.start());
  expect(held).toBeGreaterThanOrEqual(4 * block);
  expect(held).toBeLessThanOrEqual(6 * block);
  await idle.close();
});

test("compressed files are read like the others", async () => {
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true }));
  const before = disk.logs.open(ID);
  await before.read(0, new Uint8Array(10));
  await rotated(1);
  write(6);
  await rotated(2);
  write(2);
  // The original file is removed only after its copy is on disk.
  await until(() => names().sort().join(" ") === "log log.1.gz log.2.gz log.3");
  const after = disk.logs.open(ID);
  for (const log of [before, after]) expect(await textOf(log)).toBe(lines(0, 14));
  for (const log of [before, after]) await log.close();
});

test("a log of a driver that keeps nothing leaves nothing, and a reader gets the rest", async () => {
  write(3);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  const log = disk.logs.open(ID);
  disk.logs.ended(ID, AT);
  disk.logs.clear(ID);
  expect(names()).toEqual([]);
  expect(await textOf(log)).toBe(lines(0, 3));
  write(2);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1, passing: true }));
  expect(await textOf(log, 30)).toBe(lines(3, 5));
  await log.close();
  expect(statSync(path()).size).toBe(2 * LINE_BYTES);
});

test("a watcher is notified of lines in the first file and in the disk.next", async () => {
  const log = disk.logs.open(ID);
  let heard = 0;
  const stop = log.watch(() => heard++);
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  await until(() => heard > 0);
  await rotated(1);
  heard = 0;
  write(1);
  await until(() => heard > 0);
  stop();
  await log.close();
});

test("a watcher is notified on a machine without free inotify watches", async () => {
  write(1);
  const log = disk.logs.open(ID);
  rmSync(`${path()}.1`); // fs.watch fails for this too
  let heard = 0;
  const unwatch = log.watch(() => heard++);
  write(1);
  await until(() => heard > 0);
  unwatch();
  const last = heard;
  await sleep(300);
  expect(heard).toBe(last);
  await log.close();
});
