// What the next engine finds after a power loss.
import type { RecordStore, records } from "../../../hosts/shared/host.js";
import { openRecords } from "../../../hosts/node/database/records.js";
import { JOURNAL_BYTES, stateOf } from "./transactions.js";

/** Describes the state of the database in a directory. */
export async function foundIn(directory: string): Promise<string> {
  const store = await openRecords(directory, JOURNAL_BYTES);
  try {
    return stateOf(await store.load(), await entriesOf(store));
  } finally {
    await store.close();
  }
}

async function entriesOf({ journal }: RecordStore): Promise<records.JournalEntry[]> {
  const entries: records.JournalEntry[] = [];
  const { next } = await journal.end();
  for (let at = 1n; at < next; at = entries.at(-1)!.position + 1n) {
    const page = await journal.read({ from: { tag: "position", val: at }, bytes: 1 << 20 });
    entries.push(...page.entries);
  }
  return entries;
}
