// Changes the durable records of a real daemon behind its back, while it is not running.

import { join } from "node:path";
import { open, type RootDatabase } from "lmdb";
import type { DaemonProcess } from "../daemon-process.js";

export async function changeRecords(
  { directories }: DaemonProcess,
  change: (records: RootDatabase<Uint8Array, string>) => unknown,
): Promise<void> {
  const database = open<Uint8Array, string>({ path: join(directories.dataRoot, "records"), encoding: "binary" });
  try {
    await change(database);
    await database.flushed;
  } finally {
    await database.close();
  }
}
