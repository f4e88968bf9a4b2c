// What the database's file says of itself before LMDB opens it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findDatabase } from "../../hosts/node/database-file.js";
import { openRecords } from "../../hosts/node/records.js";

test("none beside what has owners is refused, none on a disk of its own is not", () => {
  const { file, volumes } = scratch();
  expect(findDatabase(file, [volumes])).toBeNull();
  mkdirSync(join(volumes, "lost+found"), { recursive: true });
  expect(findDatabase(file, [volumes])).toBeNull();
  mkdirSync(join(volumes, "data"));
  expect(() => findDatabase(file, [volumes])).toThrow("is missing or empty");
});

test("one that was made is found, one that was cut at its head cannot be read", async () => {
  const { directory, file, volumes } = scratch();
  await (await openRecords(directory, undefined, [volumes])).close();
  expect(findDatabase(file, [volumes])).toMatchObject({ isSound: true, damaged: [], hasLost: false });
  for (const length of [1, 48, 50, 52, 4096]) {
    writeFileSync(join(directory, "cut"), Buffer.alloc(length, 1));
    expect(() => findDatabase(join(directory, "cut"), [])).toThrow("is damaged");
  }
});

function scratch() {
  const directory = mkdtempSync(join(tmpdir(), "coracle-database-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { directory, file: join(directory, "data.mdb"), volumes: join(directory, "volumes") };
}
