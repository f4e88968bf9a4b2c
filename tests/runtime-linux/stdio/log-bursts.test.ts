// Bursts of output that make a log much longer than its limit between two checks.

import { appendFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { AT, ID, LINE_BYTES, lines, textOf, logsOnDisk } from "./logs-on-disk.js";

const disk = logsOnDisk();
const { keeping, names, onDisk, path, renew, rotated, runWith, until, write } = disk;

test.each([false, true])(
  "a burst keeps no more than the limits, and a reader gets all of it (compressed: %s)",
  async (compressed) => {
    write(3);
    disk.logs.keep(ID, keeping({ fileBytes: 50, files: 2, compressed }));
    const slow = disk.logs.open(ID);
    await slow.read(0, new Uint8Array(10));
    write(97);
    await rotated(1);
    await until(() => statSync(`${path()}.1`).size < 1000);
    if (compressed) {
      write(1); // a file without a successor is not compressed
      await until(() => names().includes("log.1.gz"));
    }
    const last = disk.next;
    expect(await textOf(slow, 10)).toBe(lines(1, last));
    await slow.close();
    const after = disk.logs.open(ID);
    expect([await after.start(), await textOf(after, await after.start())]).toEqual([900, lines(90, last)]);
    expect(await after.read(0, new Uint8Array(1))).toBe(-1);
    write(2);
    expect(await textOf(after, 950)).toBe(lines(95, last + 2));
    await after.close();
    disk.logs.close();
    disk.reopen();
    const found = disk.logs.open(ID);
    expect(await textOf(found)).toBe(lines(90, last + 2));
    await found.close();
  },
);

test("a run that ends with a burst leaves no more than the limits either", async () => {
  write(3);
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 3 }));
  write(97);
  disk.logs.ended(ID, AT);
  await until(() => statSync(`${path()}.1`).size === 150);
  const log = disk.logs.open(ID);
  const start = await log.start();
  expect(await textOf(log, start)).toBe(lines(85, 100));
  // The disk.next run continues where this one ended.
  disk.logs.keep(ID, keeping({ fileBytes: 50, files: 3 }));
  write(1);
  expect(await textOf(log, start + 100)).toBe(lines(95, 101));
  await log.close();
});

test.each([6, 100])("a burst is cut, then compressed, even if %d lines must be compressed before", async (count) => {
  const bounds = { fileBytes: 50, files: 3, compressed: true };
  write(count);
  disk.logs.keep(ID, keeping(bounds));
  renew();
  disk.logs.ended(ID, AT);
  runWith(100, bounds); // before the work that the first left is begun
  await until(() => names().includes("log.2.gz") && names().length === 3);
  disk.logs.close();
  disk.reopen();
  const found = disk.logs.open(ID);
  expect(await textOf(found)).toBe(lines(disk.next - 15, disk.next));
  await found.close();
});

test.each([[[70, 70, 70, 70, 70]], [[90, 25]], [[90, 50]]])(
  "bursts leave no more than twice the limits, even if half of the newest must be kept (%s)",
  async (bursts) => {
    const bounds = 505;
    for (const count of bursts) {
      runWith(count, { fileBytes: 101, files: 5 });
      await until(() => onDisk() <= 2 * bounds);
    }
    const log = disk.logs.open(ID);
    const start = await log.start();
    const kept = (await log.size()) - start;
    expect(kept).toBeGreaterThan(bounds - LINE_BYTES);
    expect(await textOf(log, start)).toBe(lines(disk.next - kept / LINE_BYTES, disk.next));
    await log.close();
  },
);

test("a reader holds back only the part of a cut file that is not in its rest", async () => {
  const mebibyte = 1024 ** 2;
  appendFileSync(path(), new Uint8Array(70 * mebibyte).fill(0x0a));
  const bounds = keeping({ fileBytes: 10 * mebibyte, files: 1 });
  disk.logs.keep(ID, bounds);
  const slow = disk.logs.open(ID);
  await slow.read(55 * mebibyte, new Uint8Array(1));
  disk.logs.ended(ID, AT);
  await until(() => statSync(`${path()}.1`).size === 10 * mebibyte);
  await disk.logs.open(ID).close(); // unused data is released
  expect(await slow.read(55 * mebibyte + 1, new Uint8Array(1))).toBe(1);
  await slow.read(60 * mebibyte, new Uint8Array(1)); // already in the remaining part
  await disk.logs.open(ID).close();
  expect(await slow.start()).toBe(60 * mebibyte);
  await slow.close();
});
