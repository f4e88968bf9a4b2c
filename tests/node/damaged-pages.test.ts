// Damages a database file page by page: whatever a page contains, the rest is read, losses are known, and nothing
// crashes. `CORACLE_TEST_DAMAGES` sets how many pages are damaged in each way, `CORACLE_TEST_DAMAGE_SEED` the seed,
// which a run prints.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordChange } from "../../hosts/shared/host.js";
import { openRecords } from "../../hosts/node/database/records.js";
import { run } from "../support/commands.js";
import { programOf } from "../support/program.js";
import { randomFrom } from "../support/random.js";
import type { Found } from "./damaged-pages/opener.js";

const SEED = Number(process.env["CORACLE_TEST_DAMAGE_SEED"] ?? 1);
const COUNT = Number(process.env["CORACLE_TEST_DAMAGES"] ?? 30);
const PAGE = 4096;
const SECTOR = 512;
const RECORDS = 250;
const ENTRIES = 400;
/** Databases per process. */
const AT_ONCE = 25;
const LIMIT_MS = 60_000 + COUNT * 4_000;

const scratch = mkdtempSync(join(tmpdir(), "coracle-damaged-"));
afterAll(() => rm(scratch, { recursive: true }));
const random = randomFrom(SEED);
const records = new Map<string, Buffer>();
const entries: Buffer[] = [];
let whole: Buffer;

const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));
const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** Records that share a page, records with pages of their own, the journal; some are removed again. */
beforeAll(async () => {
  console.log(`damaged pages: seed ${SEED}`);
  const directory = join(scratch, "whole");
  const store = await openRecords(directory);
  const put = (key: string): RecordChange => {
    const value = noise(random(6) === 0 ? 3000 + random(30_000) : 200 + random(900));
    records.set(key, value);
    return { tag: "put", val: { key, value } };
  };
  for (let at = 0; at < RECORDS; at += 1) {
    const key = `container/${noise(32).toString("hex")}`;
    const bytes = noise(100 + random(200));
    const position = (await store.journal.end()).next;
    await store.commit([put(key), { tag: "append", val: { position, at: position, bytes } }]);
    entries.push(bytes);
    const older = [...records.keys()][random(records.size)]!;
    if (random(4) === 0) await store.commit([put(older)]);
    if (random(8) > 0) continue;
    records.delete(older);
    await store.commit([{ tag: "delete", val: older }]);
  }
  for (let position = BigInt(entries.length + 1); entries.length < ENTRIES; position += 1n) {
    const bytes = noise(100 + random(200));
    await store.commit([{ tag: "append", val: { position, at: position, bytes } }]);
    entries.push(bytes);
  }
  await store.close();
  whole = readFileSync(join(directory, "data.mdb"));
}, LIMIT_MS);

const FEW_BITS = "a few bits turned";

type Damage = (file: Buffer, page: number) => Buffer;

const WAYS: Record<string, Damage> = {
  "random bytes in its place": (file, page) => changed(file, page * PAGE, noise(PAGE)),
  "zeros in its place": (file, page) => changed(file, page * PAGE, Buffer.alloc(PAGE)),
  "some of its sectors lost": (file, page) =>
    changed(file, page * PAGE + SECTOR * random(8), noise(SECTOR * (1 + random(2)))),
  "a bit of its head turned": (file, page) => flipped(file, page * PAGE + random(24)),
  [FEW_BITS]: (file, page) => {
    const once = flipped(file, page * PAGE + random(PAGE));
    return flipped(flipped(once, page * PAGE + random(PAGE)), page * PAGE + random(200));
  },
  "another page in its place": (file, page) => {
    const other = random(file.length / PAGE);
    return changed(file, page * PAGE, file.subarray(other * PAGE, (other + 1) * PAGE));
  },
};

describe("a page of the database with", () => {
  test.each(Object.entries(WAYS))("%s", { timeout: LIMIT_MS }, async (way, damage) => {
    const pages = chosenPages();
    const files = pages.map((page, at) => {
      const file = join(scratch, `${way.replaceAll(" ", "-")}-${at}`);
      writeFileSync(file, damage(Buffer.from(whole), page));
      return file;
    });
    const found = await foundIn(files);
    const how = way === FEW_BITS ? " by some bits" : "";
    for (const [at, page] of pages.entries()) check(`page ${page}${how}`, [page], found[at]!, way.includes("bit"));
    await Promise.all(files.map((file) => rm(file)));
  });
});

test("a file cut at any page", { timeout: LIMIT_MS }, async () => {
  const lengths = Array.from({ length: COUNT }, () => 2 + random(whole.length / PAGE - 2));
  const files = lengths.map((length, at) => {
    const file = join(scratch, `cut-${at}`);
    writeFileSync(file, whole.subarray(0, length * PAGE + random(PAGE)));
    return file;
  });
  const found = await foundIn(files);
  for (const [at, length] of lengths.entries()) {
    const pages = Array.from({ length: whole.length / PAGE - length }, (_, page) => length + page);
    check(`cut to ${length}`, pages, found[at]!, false);
  }
});

/** Both meta pages, and others. */
function chosenPages(): number[] {
  const count = whole.length / PAGE;
  return [0, 1, ...Array.from({ length: COUNT - 2 }, () => random(count))];
}

function changed(file: Buffer, at: number, bytes: Uint8Array): Buffer {
  file.set(bytes.subarray(0, Math.min(bytes.length, (Math.floor(at / PAGE) + 1) * PAGE - at)), at);
  return file;
}

function flipped(file: Buffer, at: number): Buffer {
  file[at] = file[at]! ^ (1 << random(8));
  return file;
}

/** Opens them in separate processes, which may crash. */
async function foundIn(files: string[]): Promise<Found[]> {
  const program = programOf(new URL("damaged-pages/opener.ts", import.meta.url));
  const found: Found[] = [];
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE);
    const { stdout, stderr, code } = await run([process.execPath, program, ...some], { timeoutMs: LIMIT_MS });
    const lines = stdout.trim().split("\n");
    expect([code, lines.length], `${some[lines.length]}: ${stderr}`).toEqual([0, some.length]);
    found.push(...lines.map((line) => JSON.parse(line) as Found));
  }
  return found;
}

/**
 * Everything outside the damaged pages is there; losses were reported. `isSmall`: the value's own fields may be
 * changed.
 */
function check(what: string, pages: number[], found: Found, isSmall: boolean): void {
  const told = `${what}: ${found.told.join()}`;
  expect([told, found.error, found.again]).toEqual([told, "", []]);
  // In a page that leads to others, wrong keys and wrong numbers together can hide what it led to.
  const isFar = what.endsWith("by some bits") && found.told.length > 0;
  for (const [key, value] of records) {
    if (found.records[key] === hash(value)) continue;
    expect([told, key, isFar || isOn(pages, key, value)]).toEqual([told, key, true]);
    // Only the bytes of damaged pages differ, or the loss is known. A flipped bit in a key makes another key.
    const isTold = "" in found.records || (isSmall && isRenamed(found));
    if (found.records[key] === undefined) expect([told, isTold]).toEqual([told, true]);
    else if (!isSmall && found.told.length === 0) expect([told, value.length >= SECTOR - 1]).toEqual([told, true]);
  }
  const there = new Set(found.entries);
  const missing = entries.filter((entry) => !there.has(hash(entry)));
  expect([told, missing.filter((entry) => !isFar && !isOn(pages, "journal", entry)).length]).toEqual([told, 0]);
  if (missing.length > 0 && !isSmall) expect(told).toContain("events");
  if (!isSmall) expect([told, misplaced(found)]).toEqual([told, []]);
}

/** Entries that are not at their original positions. */
function misplaced({ entries: there, positions }: Found): number[] {
  const before = new Map(entries.map((entry, at) => [hash(entry), at + 1]));
  return positions.filter((position, at) => (before.get(there[at]!) ?? position) !== position);
}

/** If bits of its value changed too, this does not show it. */
function isRenamed(found: Found): boolean {
  return Object.keys(found.records).some((key) => !records.has(key));
}

/** Wherever in the file its key or value is or was. */
function isOn(pages: number[], key: string, value: Buffer): boolean {
  for (let at = whole.indexOf(value); at !== -1; at = whole.indexOf(value, at + 1)) {
    const [first, last] = [Math.floor(at / PAGE), Math.floor((at + value.length - 1) / PAGE)];
    if (pages.some((page) => page >= first && page <= last)) return true;
  }
  return pages.some((page) => whole.subarray(page * PAGE, (page + 1) * PAGE).includes(key));
}
