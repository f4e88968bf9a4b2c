// Defines what a restart may forget of a container. Execs end with the engine that started them, so a new engine knows
// none. The health of a container is unknown until the next probe: a running container is `starting`, and any other is
// `unhealthy`, as before. All probe results that a client was shown are kept.

export interface Shown {
  ExecIDs: string[] | null;
  State: { Status: string; Health?: Health };
}

interface Health {
  Status: string;
  FailingStreak: number;
  Log: unknown[];
}

/** Number of results that are kept (surface §2.18). */
const LONGEST_LOG = 5;

/** What is wrong if the old instance shows `before` and the new one shows `after`. Null if nothing is. */
export function wrongAfter(before: Shown, after: Shown): string | null {
  if (after.ExecIDs !== null) return `execs are known after a restart: ${after.ExecIDs.join(", ")}`;
  const runs = after.State.Status === "running";
  const [old, now] = [before.State.Health, after.State.Health];
  if (now === undefined) return old === undefined || !runs ? null : "it has no health check any more after a restart";
  if (old === undefined) return "it has a health check only after a restart";
  const expected = runs ? { Status: "starting", FailingStreak: 0 } : { Status: "unhealthy", FailingStreak: null };
  if (now.Status !== expected.Status) return `it is ${now.Status} after a restart, not ${expected.Status}`;
  if (runs && now.FailingStreak !== 0) return `its probes have failed ${now.FailingStreak} times after a restart`;
  return isBeginning(now.Log, old.Log) ? null : "it has other probe results after a restart";
}

/**
 * Whether the stored results are the start of all results, or such results after some of the oldest have dropped out
 * of a full log.
 */
function isBeginning(kept: readonly unknown[], all: readonly unknown[]): boolean {
  const [some, more] = [kept, all].map((log) => log.map((result) => JSON.stringify(result))) as [string[], string[]];
  const most = more.length === LONGEST_LOG ? some.length : 0;
  for (let gone = 0; gone <= most; gone++) if (some.slice(gone).every((one, at) => one === more[at])) return true;
  return false;
}
