// Records on disk, and full disks.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { RecordChange, RecordStore } from "../../hosts/shared/host.js";
import { openRecords } from "../../hosts/node/database/records.js";
import { processMemory } from "../../runtime-linux/kernel/memory.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-records-"));
afterAll(() => rm(directory, { recursive: true }));

const put = (key: string, value: string): RecordChange => ({
  tag: "put",
  val: { key, value: Buffer.from(value) },
});
const forget = (key: string): RecordChange => ({ tag: "delete", val: key });

async function contents(store: RecordStore): Promise<string[]> {
  return (await store.load()).map(({ key, value }) => `${key}=${Buffer.from(value).toString()}`);
}

describe("records", () => {
  test("are read back in the order of their keys, with their last values", async () => {
    const path = join(directory, "a");
    const first = await openRecords(path);
    await first.commit([put("b/2", "two"), put("a/1", "one"), put("b/2", "zwei")]);
    await first.commit([put("c", "gone"), put("ü", "\u0000\u00ff")]);
    await first.commit([forget("c"), forget("never was")]);
    await first.close();
    const second = await openRecords(path);
    expect(await contents(second)).toEqual(["a/1=one", "b/2=zwei", "ü=\u0000\u00ff"]);
    await second.close();
  });

  test("are the same when they are first loaded, as the check of the file read them, and later, as LMDB does", async () => {
    const path = join(directory, "twice");
    const first = await openRecords(path);
    const long = "long".repeat(5000);
    await first.commit([put("", ""), put("a/1", "one"), put("k/empty", ""), put("z/long", long), put("ü/ß", "ö")]);
    await first.commit(Array.from({ length: 500 }, (_, at) => put(`many/${at}`, `${at}`.repeat(at))));
    await first.close();
    const second = await openRecords(path);
    const [checked, loaded] = [await contents(second), await contents(second)];
    expect(checked).toEqual(loaded);
    expect(checked).toHaveLength(505);
    expect(checked).toContain("=");
    await second.close();
    const third = await openRecords(path);
    await third.commit([put("a/1", "changed before it was loaded")]);
    expect(await contents(third)).toContain("a/1=changed before it was loaded");
    await third.close();
  });

  test("outgrow the first size of their file", async () => {
    const store = await openRecords(join(directory, "large"));
    const large = "x".repeat(100_000);
    for (let round = 0; round < 30; round++) {
      await store.commit(Array.from({ length: 10 }, (_, index) => put(`${round}/${index}`, large)));
    }
    expect(await store.load()).toHaveLength(300);
    await store.close();
  });
});

test("their file may be mapped elsewhere during a transaction, and not after it, even if it failed", async () => {
  const path = join(directory, "quiet");
  const store = await openRecords(path);
  const file = join(path, "data.mdb");
  expect(store.quietFile).toBe(file);
  const committed = store.commit([put("a", "1")]);
  expect(store.quietFile).toBeNull();
  await committed;
  expect(store.quietFile).toBe(file);
  await expect(store.commit([put("k".repeat(2000), "too long")])).rejects.toThrow("too long");
  expect(store.quietFile).toBe(file);
  await store.close();
  expect(store.quietFile).toBeNull();
});

test("pages of their file are given back, and read again", async () => {
  const path = join(directory, "given-back");
  const store = await openRecords(path);
  const large = "x".repeat(100_000);
  await store.commit(Array.from({ length: 100 }, (_, index) => put(`${index}`, large)));
  await store.load();
  const file = store.quietFile!;
  expect(residentKibibytes(file)).toBeGreaterThan(8_000);
  processMemory.handBackFile(file);
  expect(residentKibibytes(file)).toBe(0);
  expect(await store.load()).toHaveLength(100);
  await store.close();
});

/** Of the pages that this process has of a file. */
function residentKibibytes(path: string): number {
  const mappings = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const sizes = mappings
    .filter((one) => one.split("\n")[0]?.endsWith(` ${path}`))
    .map((one) => /^Rss: +(\d+) kB$/m.exec(one));
  return sizes.reduce((sum, size) => sum + Number(size?.[1]), 0);
}

const tmpfs = join(directory, "small");
const why = process.getuid?.() !== 0 ? "mounting a small file system needs root" : null;

test("a full disk: a transaction is kept completely or not at all, and the store continues", async ({ skip }) => {
  if (why !== null) return skip(why);
  mkdirSync(tmpfs);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", tmpfs]);
  try {
    const store = await openRecords(join(tmpfs, "records"));
    await store.commit([put("kept", "yes")]);
    const large = [
      put("half", "x"),
      ...Array.from({ length: 20 }, (_, index) => put(`big/${index}`, "x".repeat(100_000))),
    ];
    await expect(store.commit(large)).rejects.toThrow("write records: no space left on device");
    expect(await contents(store)).toEqual(["kept=yes"]);
    await store.commit([put("kept", "still")]);
    expect(await contents(store)).toEqual(["kept=still"]);
    await store.close();
  } finally {
    execFileSync("umount", [tmpfs]);
  }
});

test("a disk filled by another program: records can still be changed and removed", async ({ skip }) => {
  if (why !== null) return skip(why);
  const disk = join(directory, "filled");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
  try {
    const store = await openRecords(join(disk, "records"));
    await store.commit([put("container/a", "running"), put("container/b", "exited")]);
    expect(() => writeFileSync(join(disk, "ballast"), Buffer.alloc(8 << 20))).toThrow("ENOSPC");
    for (let round = 0; round < 50; round++) await store.commit([put("container/a", `exited ${round}`)]);
    await store.commit([forget("container/b")]);
    expect(await contents(store)).toEqual(["container/a=exited 49"]);
    await store.close();
  } finally {
    execFileSync("umount", [disk]);
  }
});
