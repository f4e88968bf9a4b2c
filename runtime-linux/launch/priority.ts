// Gives the daemon's main thread a higher priority. This one thread answers every request and mostly waits. If there
// are few processors it runs before the programs that it starts, so that many containers starting at once delay no
// answer. Everything that it starts has the usual priority.

import { readdirSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { Kernel } from "../kernel.js";

/** A nice value (sched(7)): 0 is usual, -20 the highest priority. */
const NICE = -10;
const OWN = 0;

/**
 * A nice value for sessions (sched(7), autogroups) in which containers are made. Without it, each session would get as
 * much time as the whole engine.
 */
const YIELDING = 5;
const USUAL = 0;

/**
 * Raises the priority of the calling thread and of those that it waits for. Does nothing if somebody has chosen another
 * priority, or if the engine may not change it.
 */
export function comeFirst(kernel: Kernel): void {
  try {
    if (getPriority(OWN) !== 0) return;
    kernel.resetOnFork();
    // Other threads write the records and share the work of garbage collection.
    for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), NICE);
    // If the kernel schedules by session (sched(7), autogroups), the session's value counts.
    if (leadsSession(process.pid, kernel)) writeFileSync("/proc/self/autogroup", String(NICE));
  } catch {
    // Not permitted, or no autogroups: the engine works anyway.
  }
}

/** How often to look whether a child has made its session. There is no notification. */
const LOOK_MS = 2;

/** Lowers the priority of a child that makes a session, and of everything in it, until `made` has settled. */
export async function yielding<T>(child: number, made: Promise<T>, kernel: Kernel): Promise<T> {
  let yields = false;
  const look = setInterval(() => {
    // Before that it is in our session.
    if (!leadsSession(child, kernel)) return;
    clearInterval(look);
    yields = true;
    setSessionsPriority(child, YIELDING);
  }, LOOK_MS);
  try {
    return await made;
  } finally {
    clearInterval(look);
    if (yields) setSessionsPriority(child, USUAL);
  }
}

function setSessionsPriority(leader: number, nice: number): void {
  try {
    writeFileSync(`/proc/${leader}/autogroup`, String(nice));
  } catch {
    // The child is gone, or there are no autogroups.
  }
}

/** If it leads its session, nobody's shell is in that session. */
function leadsSession(pid: number, kernel: Kernel): boolean {
  return kernel.sessionOf(pid) === pid;
}
