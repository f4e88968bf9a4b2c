// Reserves a host for one engine: taken when the engine is opened, closed along with it.

import type { Host, RecordStore } from "../shared/index.js";

const taken = new WeakSet<Host>();

/** Throws if another engine has it. */
export function takeHost(host: Host): void {
  if (taken.has(host)) throw new Error("the host belongs to another engine: close that engine first");
  taken.add(host);
}

/**
 * Closes `records`, the host's own store, which may be another one, and the host. Closes each, even if another one
 * fails to close.
 */
export async function closeWorld(host: Host, records: RecordStore): Promise<void> {
  taken.delete(host);
  try {
    const stores = new Set([records, host.records]);
    const closings = await Promise.allSettled([...stores].map(async (store) => store.close()));
    for (const closing of closings) if (closing.status === "rejected") throw closing.reason;
  } finally {
    await host.close();
  }
}
