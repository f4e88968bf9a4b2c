// What becomes of a record, or of an entry of the journal, in memory.

import type { HostEffect, StepOutputs } from "../../hosts/outbox.js";
import type { RecordChange, engine } from "../../hosts/host.js";
import type { MemoryJournal } from "../../hosts/journal.js";

type RecordCommand = StepOutputs["records"][number];

/** What could wait is kept at once. */
export function keep(command: RecordCommand, stored: Map<string, Uint8Array>, journal: MemoryJournal): void {
  if (command.tag === "put") stored.set(command.val.key, command.val.value);
  else if (command.tag === "delete") stored.delete(command.val);
  else if (command.tag !== "settle") {
    journal.check([{ tag: "append", val: command.val }]);
    journal.append(command.val);
  }
}

export function journalRead(
  journal: MemoryJournal,
  { command }: HostEffect & { to: "records" },
): engine.Completed["outcome"] {
  return { tag: "ok", val: { tag: "journal", val: journal.page(command.val) } };
}

/** The keys of what a transaction changes. */
export function keysOf(changes: readonly RecordChange[]): string[] {
  return changes.map(({ tag, val }) => (tag === "put" ? val.key : tag === "delete" ? val : `journal ${val.position}`));
}
