// Several acts at once.

/** Waits for all, so that nothing is under way after a failure. Throws the first failure, in their order. */
export async function together(...acts: Promise<void>[]): Promise<void> {
  for (const act of await Promise.allSettled(acts)) if (act.status === "rejected") throw act.reason;
}
