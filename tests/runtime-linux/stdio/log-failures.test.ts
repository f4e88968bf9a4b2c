// A container's log when something goes wrong: a full disk, a killed engine, a slow supervisor.

import { closeSync, openSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { AT, ID, LINE_BYTES, lines, textOf, logsOnDisk } from "./logs-on-disk.js";

const disk = logsOnDisk();
const { keeping, names, numbered, path, renew, rotated, until, write } = disk;

test.each([
  [".cutting", false],
  [".packing", true],
])("a copy that a full disk stops leaves no log.1%s, and the log is complete", async (ending, compressed) => {
  const half = `${path()}.1${ending}`;
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: compressed ? 20 : 2, compressed }));
  symlinkSync("/dev/full", half);
  write(100);
  disk.logs.ended(ID, AT);
  await until(() => !names().includes(`log.1${ending}`));
  expect(names().sort()).toEqual(["log", "log.1", "log.2"]);
  const log = disk.logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 100));
  await log.close();
});

test("an unreadable compressed file leaves all descriptors unchanged, and opens none", async () => {
  writeFileSync(`${path()}.1.gz`, Buffer.from("\x1f\x8b that is no log", "latin1"));
  write(3);
  const before = readdirSync("/proc/self/fd").length;
  for (let time = 0; time < 3; time++) {
    const log = disk.logs.open(ID);
    await expect(log.read(0, new Uint8Array(10))).rejects.toThrow();
    await sleep(20);
    // A file opened now may get the descriptor of one that was closed twice.
    const others = [1, 2, 3, 4].map(() => openSync("/proc/self/status", "r"));
    await log.close();
    for (const other of others) closeSync(other);
  }
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});

test("an engine that is killed at any point of a rotation leaves the whole log to the disk.next one", async () => {
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 3, compressed: true, renew: () => false }));
  disk.logs.close(); // killed before the supervisor was told
  renew(); // the supervisor did it anyway
  write(2);
  writeFileSync(`${path()}.1.gz.packing`, "half");
  disk.reopen();
  const log = disk.logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 8));
  expect(names().sort()).toEqual(["log", "log.1", "log.2"]);
  await log.close();
});

test("the file is kept, not its compressed copy, which may not be on the disk yet", async () => {
  write(3);
  renameSync(path(), `${path()}.1`);
  writeFileSync(`${path()}.1.gz`, "half of it");
  const log = disk.logs.open(ID);
  expect(await textOf(log)).toBe(lines(0, 3));
  expect(names()).toEqual(["log.1"]);
  await log.close();
});

test("a new file that a supervisor could not finish is removed after its run", async () => {
  write(3);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2 }));
  writeFileSync(`${path()}.tmp`, "");
  disk.logs.ended(ID, AT);
  expect(names().sort()).toEqual(["log", "log.1"]);
});

test("a new file that a supervisor is just making is not touched", async () => {
  write(3);
  writeFileSync(`${path()}.tmp`, "");
  const log = disk.logs.open(ID);
  renameSync(`${path()}.tmp`, path());
  write(2);
  expect(await textOf(log)).toBe(lines(0, 5));
  await log.close();
});

test("a reader continues with the new file even if the run ends before it exists", async () => {
  let told = false;
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2, renew: () => (told = true) }));
  await until(() => told);
  disk.logs.ended(ID, AT);
  const log = disk.logs.open(ID);
  renew();
  await until(() => numbered(2));
  write(2);
  expect(await textOf(log)).toBe(lines(0, 8));
  await log.close();
});

test("a supervisor that has not made its new file yet is not told again, even after a long time", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let told = 0;
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 3, renew: () => told++ >= 0 }));
  await vi.advanceTimersByTimeAsync(60_000);
  write(6); // to the full file
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toBe(1);
  renew();
  write(6);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([told, numbered(2), numbered(3)]).toEqual([2, true, false]);
});

test("another run's supervisor need not make the new file of the run before", async () => {
  const told: string[] = [];
  const say = (name: string) => keeping({ fileBytes: 50, files: 3, renew: () => told.push(name) > 0 });
  write(6);
  disk.logs.keep(ID, say("first"));
  await until(() => told.length === 1);
  disk.logs.keep(ID, say("second"));
  await until(() => told.length === 2);
  expect(told).toEqual(["first", "second"]);
});

test.each([
  [".packing", true],
  [".cutting", false],
])("a copy that a full disk stops (log.1%s) is tried again until it is complete", async (ending, compressed) => {
  const half = `log.1${ending}`;
  const count = compressed ? 6 : 100;
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2, compressed }));
  symlinkSync("/dev/full", join(disk.directory, half));
  write(count);
  await rotated(1);
  write(1);
  for (let failed = 1; failed <= 3; failed++) {
    await until(() => !names().includes(half)); // removed after the failure
    expect(statSync(`${path()}.1`).size).toBe(count * LINE_BYTES);
    if (failed < 3) symlinkSync("/dev/full", join(disk.directory, half));
  }
  await until(() => (compressed ? names().includes("log.1.gz") : statSync(`${path()}.1`).size < count * LINE_BYTES));
  const log = disk.logs.open(ID);
  expect(await textOf(log, await log.start())).toBe(lines(compressed ? 0 : 91, disk.next));
  await log.close();
});

test("a step that fails once is tried again", async () => {
  let fails = 3;
  const stubborn = () => {
    if (fails-- > 0) throw new Error("input/output error");
    return renew();
  };
  write(6);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 1, renew: stubborn }));
  await rotated(1);
  expect(fails).toBeLessThan(0);
});
