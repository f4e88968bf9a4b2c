// Writes records. A good record replaces a damaged one that was set aside.

import { release } from "../../../build/bindings/heap";
import { Stored } from "../../../build/bindings/types";
import { storeRecord } from "../ask";
import { setAside } from "./set-aside";

/** List that collects records instead of writing them; null if they are written. */
let told: Stored[] | null = null;

/** Collects the records that `put` writes. */
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

/** The same for bytes that have no other use: their memory is free afterwards. */
export function putAndRelease(key: string, value: Uint8Array): void {
  const isTold = told !== null;
  putRecord(key, value);
  if (!isTold) release(value);
}
