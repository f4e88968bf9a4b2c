// Records are put: a good one takes the place of a damaged one that was set aside.

import { Stored } from "../../../build/bindings/types";
import { storeRecord } from "../ask";
import { setAside } from "./set-aside";

/** Where records are told instead of put; null: nowhere. */
let told: Stored[] | null = null;

/** What `put` puts goes into a list. */
export function tellRecords(put: () => void): Stored[] {
  const records: Stored[] = [];
  told = records;
  put();
  told = null;
  return records;
}

export function putRecord(key: string, value: Uint8Array): void {
  const records = told;
  if (records !== null) {
    records.push(new Stored(key, value));
    return;
  }
  if (setAside.has(key)) setAside.replaced(key);
  storeRecord(key, value);
}
