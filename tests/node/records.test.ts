// Records on disk, and full disks.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { RecordChange, RecordStore } from "../../hosts/shared/host.js";
import { openRecords } from "../../hosts/node/database/records.js";

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
