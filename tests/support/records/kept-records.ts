// Applies changes of records and journal entries in memory.

import type { HostEffect } from "../../../hosts/shared/outputs.js";
import type { RecordChange, engine } from "../../../hosts/shared/host.js";
import type { MemoryJournal } from "../../../hosts/shared/journal.js";

/** Applies a change as a transaction does. */
export function keep(change: RecordChange, stored: Map<string, Uint8Array>, journal: MemoryJournal): void {
  if (change.tag === "put") stored.set(change.val.key, change.val.value);
  else if (change.tag === "delete") stored.delete(change.val);
  else {
    journal.check([change]);
    journal.append(change.val);
  }
}

export function journalRead(
  journal: MemoryJournal,
  { command }: HostEffect & { to: "records" },
): engine.Completed["outcome"] {
  return { tag: "ok", val: { tag: "journal", val: journal.page(command.val) } };
}

/** The keys that a transaction changes. */
export function keysOf(changes: readonly RecordChange[]): string[] {
  return changes.map(({ tag, val }) => (tag === "put" ? val.key : tag === "delete" ? val : `journal ${val.position}`));
}
