// The checks of the database file before LMDB opens it.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RECORDS, type Keys } from "../../hosts/node/database/keys.js";
import { Pages } from "../../hosts/node/database/pages.js";
import { TreeWalk } from "../../hosts/node/database/tree.js";
import { findDatabase } from "../../hosts/node/database/database-file.js";
import { openRecords } from "../../hosts/node/database/records.js";

test("a missing file is refused if its data is in use, and accepted on a new disk", () => {
  const { file, volumes } = scratch();
  expect(findDatabase(file, [volumes])).toBeNull();
  mkdirSync(join(volumes, "lost+found"), { recursive: true });
  expect(findDatabase(file, [volumes])).toBeNull();
  mkdirSync(join(volumes, "data"));
  expect(() => findDatabase(file, [volumes])).toThrow("is missing or empty");
});

test("a complete file is found, one that is cut at its head cannot be read", async () => {
  const { directory, file, volumes } = scratch();
  await (await openRecords(directory, undefined, [volumes])).close();
  expect(findDatabase(file, [volumes])).toMatchObject({ isSound: true, damaged: [], hasLost: false });
  for (const length of [1, 48, 50, 52, 4096]) {
    writeFileSync(join(directory, "cut"), Buffer.alloc(length, 1));
    expect(() => findDatabase(join(directory, "cut"), [])).toThrow("is damaged");
  }
});

test("each unreachable leaf is searched in one gap, not in all gaps found so far", async () => {
  const { directory, file } = scratch();
  const keys = Array.from({ length: 3000 }, (_, at) => `container/${String(at).padStart(6, "0")}`);
  const records = await openRecords(directory);
  await records.commit(keys.map((key) => ({ tag: "put", val: { key, value: Buffer.alloc(1500, key) } })));
  await records.close();
  const pages = new Pages(readFileSync(file));
  let compared = 0;
  const counting: Keys = { ...RECORDS, compare: (one, other) => (compared++, RECORDS.compare(one, other)) };
  const transaction = Math.max(...pages.metas.map((meta) => meta!.transaction));
  const ground = { pages, lastPage: pages.count - 1, transaction, used: new Set<number>(), damaged: new Set<number>() };
  const walk = new TreeWalk(ground, counting, null);
  walk.fill(null);
  const found = walk.leaves.map(({ key }) => key.toString()).filter((key) => key.startsWith("container/"));
  expect(found).toEqual(keys);
  expect(compared).toBeLessThan(50 * keys.length);
});

function scratch() {
  const directory = mkdtempSync(join(tmpdir(), "coracle-database-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { directory, file: join(directory, "data.mdb"), volumes: join(directory, "volumes") };
}
