// The journal as every record store must implement it: in a database, and in memory.

import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open as openLmdb } from "lmdb";
import { afterAll, describe, expect, test } from "vitest";
import type { RecordChange, RecordStore, records } from "../../hosts/shared/host.js";
import { ENTRY_BYTES } from "../../hosts/shared/journal.js";
import { LmdbJournal } from "../../hosts/node/database/journal.js";
import { openRecords } from "../../hosts/node/database/records.js";
import { WorldFaults } from "../../hosts/simulated/world-faults.js";
import { WorldRecords } from "../../hosts/simulated/records.js";

const directory = mkdtempSync(join(tmpdir(), "coracle-journal-"));
afterAll(() => rm(directory, { recursive: true }));

/** 100 bytes together with an entry's overhead. */
const BYTES = 100 - ENTRY_BYTES;

/** The entry at `position`, with ten times that number as its time. */
function entry(position: number, bytes = BYTES): RecordChange & { tag: "append" } {
  const value = new Uint8Array(bytes).fill(position);
  return { tag: "append", val: { position: BigInt(position), at: BigInt(position * 10), bytes: value } };
}

function entries(from: number, to: number): RecordChange[] {
  return Array.from({ length: to - from + 1 }, (_, at) => entry(from + at));
}

async function positions(store: RecordStore, from: records.JournalStart, bytes = 1 << 20): Promise<number[]> {
  const page = await store.journal.read({ from, bytes });
  for (const { position, at, bytes } of page.entries) {
    expect(entry(Number(position), bytes.length).val).toEqual({ position, at, bytes: Uint8Array.from(bytes) });
  }
  return page.entries.map(({ position }) => Number(position));
}

const after = (position: number): records.JournalStart => ({ tag: "position", val: BigInt(position) });
const since = (time: number): records.JournalStart => ({ tag: "time", val: BigInt(time) });

let opened = 0;
const STORES: [string, (limit?: number) => Promise<RecordStore>][] = [
  ["in a database", (limit) => openRecords(join(directory, String(++opened)), limit)],
  ["in memory", async (limit) => new WorldRecords(new WorldFaults(), limit)],
];

describe.each(STORES)("a journal %s", (_where, open) => {
  test("is read from a position or a time on", async () => {
    const store = await open();
    expect(await store.journal.end()).toEqual({ next: 1n, at: 0n });
    expect(await store.journal.read({ from: since(0), bytes: 10 })).toEqual({ entries: [], oldest: 1n });
    await store.commit(entries(1, 3));
    await store.commit([{ tag: "put", val: { key: "a/b", value: Uint8Array.of(1) } }, ...entries(4, 9)]);
    expect(await store.journal.end()).toEqual({ next: 10n, at: 90n });
    expect(await positions(store, after(7))).toEqual([7, 8, 9]);
    expect(await positions(store, after(10))).toEqual([]);
    expect(await positions(store, since(0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await positions(store, since(70))).toEqual([7, 8, 9]);
    expect(await positions(store, since(71))).toEqual([8, 9]);
    expect(await positions(store, since(91))).toEqual([]);
    expect((await store.load()).map(({ key }) => key)).toEqual(["a/b"]);
    await store.close();
  });

  test("comes in pages of the requested size, with at least one entry", async () => {
    const store = await open();
    await store.commit([...entries(1, 5), entry(6, 5000), entry(7)]);
    expect(await positions(store, after(1), 3 * BYTES)).toEqual([1, 2, 3]);
    expect(await positions(store, after(4), 3 * BYTES)).toEqual([4, 5]);
    expect(await positions(store, after(6), 3 * BYTES)).toEqual([6]);
    await store.close();
  });

  test("loses its oldest entries when it is too large, and never the newest", async () => {
    const store = await open(10_000);
    for (let from = 1; from <= 500; from += 50) await store.commit(entries(from, from + 49));
    const kept = await positions(store, after(1));
    expect(kept.at(-1)).toBe(500);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept.length).toBeGreaterThan(80);
    expect((await store.journal.read({ from: after(1), bytes: 1 })).oldest).toBe(BigInt(kept[0]!));
    expect((await positions(store, since(0)))[0]).toBe(kept[0]);
    await store.commit([entry(501, 20_000)]);
    await store.commit([entry(502)]);
    expect((await positions(store, after(1))).at(-1)).toBe(502);
    await store.close();
  });

  test("accepts no entry out of order, and nothing else of its transaction", async () => {
    const store = await open();
    await store.commit(entries(1, 2));
    const put: RecordChange = { tag: "put", val: { key: "a/b", value: Uint8Array.of(1) } };
    await expect(store.commit([put, entry(4)])).rejects.toThrow("the journal goes on at 3, not at 4");
    expect(await store.load()).toEqual([]);
    await store.commit(entries(3, 3));
    expect(await positions(store, after(1))).toEqual([1, 2, 3]);
    await store.close();
  });
});

describe("on disk", () => {
  test("a journal continues where it ended", async () => {
    const path = mkdtempSync(join(directory, "again-"));
    const first = await openRecords(path, 10_000);
    for (let from = 1; from <= 200; from += 20) await first.commit(entries(from, from + 19));
    const kept = await positions(first, after(1));
    await first.close();
    const second = await openRecords(path, 10_000);
    expect(await second.journal.end()).toEqual({ next: 201n, at: 2000n });
    expect(await positions(second, after(1))).toEqual(kept);
    for (let from = 201; from <= 400; from += 20) await second.commit(entries(from, from + 19));
    const keptNow = await positions(second, after(1));
    expect(keptNow.length).toBeLessThanOrEqual(100);
    expect(keptNow.length).toBeGreaterThan(80);
    await second.close();
    const smaller = await openRecords(path, 2_000);
    await smaller.commit(entries(401, 401));
    expect((await positions(smaller, after(1))).length).toBeLessThanOrEqual(20);
    await smaller.close();
  });

  test("its file stops growing at its size limit", async () => {
    const path = join(directory, "bounded");
    const store = await openRecords(path, 400_000);
    const sizes: number[] = [];
    for (let round = 0; round < 8; round++) {
      for (let from = 1; from <= 5000; from += 100) {
        await store.commit(entries(round * 5000 + from, round * 5000 + from + 99));
      }
      sizes.push(statSync(join(path, "data.mdb")).size);
    }
    expect(Math.max(...sizes.slice(2))).toBeLessThanOrEqual(sizes[1]! * 1.2);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    await store.close();
  });
});

describe("of a database with a damaged page", () => {
  /** Large enough for several pages, and long enough to have dropped its oldest entries. */
  async function damaged(): Promise<{ store: RecordStore; before: number[] }> {
    const place = join(directory, String(++opened));
    const store = await openRecords(place, 20_000);
    for (let from = 1; from <= 400; from += 50) await store.commit(entries(from, from + 49));
    const before = await positions(store, after(1));
    await store.close();
    const file = join(place, "data.mdb");
    const bytes = readFileSync(file);
    const lost = Buffer.alloc(BYTES, before[Math.floor(before.length / 2)]! & 0xff);
    // It may also be on a page that is free by now.
    for (let at = bytes.indexOf(lost); at >= 0; at = bytes.indexOf(lost)) {
      const page = Math.floor(at / 4096) * 4096;
      bytes.fill(0, page, page + 4096);
    }
    writeFileSync(file, bytes);
    return { store: await openRecords(place, 20_000, [], () => {}), before };
  }

  test("the rest keeps its positions", async () => {
    const { store, before } = await damaged();
    const left = await positions(store, after(1));
    expect(before[0]).toBeGreaterThan(100);
    expect(left.length).toBeLessThan(before.length);
    expect([left[0], left.at(-1)]).toEqual([before[0], before.at(-1)]);
    expect(left.filter((position) => !before.includes(position))).toEqual([]);
    await store.close();
  });

  test("it is read from a time that is no longer in it, and continues", async () => {
    const { store, before } = await damaged();
    const left = await positions(store, after(1));
    const gone = before.filter((position) => !left.includes(position));
    for (const position of [gone[0]!, gone.at(-1)!]) {
      const next = left.filter((one) => one >= position);
      expect(await positions(store, since(10 * position))).toEqual(next);
      expect(await positions(store, after(position))).toEqual(next);
    }
    await store.commit(entries(401, 403));
    expect((await positions(store, after(400))).at(-1)).toBe(403);
    await store.close();
  });
});

test("a journal in a database lets other tasks run while its pages are read continuously", async () => {
  const store = await openRecords(join(directory, String(++opened)));
  await store.commit(entries(1, 3));
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  // A reader that uses only microtasks would finish before any other task has begun.
  for (let pages = 0; turns < 2 && pages < 100_000; pages++) await positions(store, after(1 + (pages % 3)));
  clearInterval(others);
  expect(turns).toBe(2);
  await store.close();
});

// A reader that waits for its turn must not use a closed database: the process would crash.
test("reading a journal page fails if the database is closed first", async () => {
  const store = await openRecords(join(directory, "closed"));
  await store.commit(entries(1, 3));
  const page = store.journal.read({ from: after(1), bytes: 1 << 20 });
  const interrupted = { failure: { tag: "interrupted", val: "engine-gone" } };
  const told = expect(page).rejects.toMatchObject(interrupted);
  await store.close();
  await told;
  await expect(store.journal.read({ from: since(0), bytes: 1 })).rejects.toMatchObject(interrupted);
});

test("once a page is full, no more entries are read: each may be megabytes", async () => {
  const database = openLmdb<Uint8Array, number>({ path: join(directory, "counted"), encoding: "binary" });
  let values = 0;
  const counted = new Proxy(database, {
    get(target, name) {
      const own = Reflect.get(target, name, target) as unknown;
      if (typeof own !== "function") return own;
      if (name !== "getRange") return own.bind(target) as unknown;
      return (options: object) => target.getRange(options).map((found) => (values++, found));
    },
  });
  const journal = new LmdbJournal(counted, 1 << 20);
  database.transactionSync(() =>
    entries(1, 20).forEach((change) => change.tag === "append" && journal.append(change.val)),
  );
  values = 0;
  const page = await journal.read({ from: after(10), bytes: 2 * BYTES });
  expect(page.entries.map(({ position }) => position)).toEqual([10n, 11n]);
  expect(page.oldest).toBe(1n);
  expect(values).toBe(2);
  await database.close();
});
