// What a restart forgets of a container, as a rule, and nothing else. Execs end with the engine that began them: it knows
// none. How well a container is is not known until it has been probed again: one that runs is `starting`; one that does
// not is `unhealthy`, as it was. Of what probes have found, all is kept that anybody was shown.

export interface Shown {
  ExecIDs: string[] | null;
  State: { Status: string; Health?: Health };
}

interface Health {
  Status: string;
  FailingStreak: number;
  Log: unknown[];
}

/** Results that are kept (surface §2.18). */
const LONGEST_LOG = 5;

/** What is wrong with what the newer instance says, `after`, if the older said `before`; null for nothing. */
export function wrongAfter(before: Shown, after: Shown): string | null {
  if (after.ExecIDs !== null) return `execs are known after a restart: ${after.ExecIDs.join(", ")}`;
  const runs = after.State.Status === "running";
  const [old, now] = [before.State.Health, after.State.Health];
  if (now === undefined) return old === undefined || !runs ? null : "its health is not looked after any more";
  if (old === undefined) return "its health is looked after since a restart";
  const expected = runs ? { Status: "starting", FailingStreak: 0 } : { Status: "unhealthy", FailingStreak: null };
  if (now.Status !== expected.Status) return `it is ${now.Status} after a restart, not ${expected.Status}`;
  if (runs && now.FailingStreak !== 0) return `its probes have failed ${now.FailingStreak} times after a restart`;
  return isBeginning(now.Log, old.Log) ? null : "its probes have found something else before a restart";
}

/** The newer results came after those that are kept, which may have pushed out the oldest of them. */
function isBeginning(kept: readonly unknown[], all: readonly unknown[]): boolean {
  const [some, more] = [kept, all].map((log) => log.map((result) => JSON.stringify(result))) as [string[], string[]];
  const most = more.length === LONGEST_LOG ? some.length : 0;
  for (let gone = 0; gone <= most; gone++) if (some.slice(gone).every((one, at) => one === more[at])) return true;
  return false;
}
