// Opens databases one after the other, uses each and opens it again. Prints a line of findings for each: FILE….
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordStore, records } from "../../../hosts/shared/host.js";
import { openRecords } from "../../../hosts/node/database/records.js";

export interface Found {
  /** The hash of each record's value; the record that stands for lost ones has an empty key. */
  records: Record<string, string>;
  /** Hashes of the journal entries' bytes, and their positions. */
  entries: string[];
  positions: number[];
  told: string[];
  /** Reported when it was opened again, after all of its records were written and one was removed. */
  again: string[];
  /** The error. */
  error: string;
}

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

async function use(file: string): Promise<Found> {
  const directory = mkdtempSync(join(tmpdir(), "coracle-opened-"));
  cpSync(file, join(directory, "data.mdb"));
  const found: Found = { records: {}, entries: [], positions: [], told: [], again: [], error: "" };
  try {
    const store = await openRecords(directory, undefined, [], (what, why) => found.told.push(`${what}: ${why}`));
    const stored = await store.load();
    for (const { key, value } of stored) found.records[key] = hash(value);
    const entries = await entriesOf(store);
    found.entries = entries.map(({ bytes }) => hash(bytes));
    found.positions = entries.map(({ position }) => Number(position));
    const { next } = await store.journal.end();
    await store.commit([
      ...stored.map(({ key, value }) => ({ tag: "put" as const, val: { key: `damaged/${key}`, value } })),
      ...stored.map(({ key }) => ({ tag: "delete" as const, val: key })),
      { tag: "append", val: { position: next, at: 2n ** 62n, bytes: Buffer.alloc(4000, 1) } },
    ]);
    await store.commit(stored.map(({ key, value }) => ({ tag: "put", val: { key: `again/${key}`, value } })));
    await store.close();
    const again = await openRecords(directory, undefined, [], (what, why) => found.again.push(`${what}: ${why}`));
    const count = (await again.load()).length;
    if (count !== 2 * stored.length) found.error = `${count} records, not twice ${stored.length}`;
    await again.close();
  } catch (error) {
    found.error = (error as Error).message;
  } finally {
    rmSync(directory, { recursive: true });
  }
  return found;
}

async function entriesOf({ journal }: RecordStore): Promise<records.JournalEntry[]> {
  const entries: records.JournalEntry[] = [];
  const { next } = await journal.end();
  for (let val = 1n; val < next;) {
    const page = await journal.read({ from: { tag: "position", val }, bytes: 1 << 20 });
    entries.push(...page.entries);
    val = page.entries.at(-1)!.position + 1n;
  }
  return entries;
}

for (const file of process.argv.slice(2)) writeSync(1, `${JSON.stringify(await use(file))}\n`);
