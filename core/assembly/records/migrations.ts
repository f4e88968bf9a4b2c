// Migrates records of an earlier version to the current one, step by step, in the transaction of `open`.

import { Deed, Stored } from "../../../build/bindings/types";
import { reasons } from "../reason";
import { Found } from "./found";
import { SET_ASIDE, VERSION_RECORD } from "./kinds";
import { Migration } from "./migration";
import { putRecord } from "./put";
import { ToVersion1 } from "./to-version-1";
import { ToVersion2 } from "./to-version-2";
import { ToVersion3 } from "./to-version-3";
import { ToVersion4 } from "./to-version-4";
import { VERSION, versionRecord } from "./version";

/** The n-th entry leads from version n to version n + 1. */
const STEPS: Migration[] = [new ToVersion1(), new ToVersion2(), new ToVersion3(), new ToVersion4()];

/** `version`: that of the records. Records that were set aside stay unchanged. */
export function migrate(records: Stored[], version: i32): void {
  if (version == VERSION) return;
  let count = 0;
  for (let i = 0; i < records.length; i++) {
    const key = records[i].key;
    if (key == VERSION_RECORD || key.startsWith(SET_ASIDE)) continue;
    if (!migrateRecord(records[i], version)) continue;
    putRecord(key, records[i].value);
    count += 1;
  }
  putRecord(VERSION_RECORD, versionRecord());
  const why = `from version ${version.toString()} to ${VERSION.toString()}`;
  reasons.push(new Found(`${count.toString()} records`, Deed.Migrated, why));
}

/** Whether the record has changed. */
function migrateRecord(record: Stored, version: i32): bool {
  let changed = false;
  for (let step = version; step < VERSION; step++) {
    const value = STEPS[step].record(record.key, record.value);
    if (value === null) continue;
    record.value = value;
    changed = true;
  }
  return changed;
}
