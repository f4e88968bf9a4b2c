// The daemon's one thread answers everybody, and mostly waits: where processors are few it comes before what it starts,
// so that many containers that begin at once hold up no answers. All that it starts has the usual priority.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { Kernel } from "../kernel.js";

/** Of sched(7): 0 is usual, -20 the most. */
const NICE = -10;
const OWN = 0;

/** Of sessions (sched(7), autogroups) in which containers are made: each of them would get as much as all of the engine. */
const YIELDING = 5;
const USUAL = 0;

/**
 * Of the calling thread, and of those that it waits for. Nothing is done where somebody has chosen another priority, or
 * this may not be changed.
 */
export function comeFirst(kernel: Kernel): void {
  try {
    if (getPriority(OWN) !== 0) return;
    kernel.resetOnFork();
    // The records are written by others of its threads, and collections of garbage share the work with them.
    for (const thread of readdirSync("/proc/self/task")) setPriority(Number(thread), NICE);
    // Where sessions share processors among each other (sched(7), autogroups) it is the session's that counts.
    if (leadsSession(process.pid)) writeFileSync("/proc/self/autogroup", String(NICE));
  } catch {
    // Without the right to it, or without autogroups, it works all the same.
  }
}

/** How often it is looked whether a child has made its session: nothing tells of it. */
const LOOK_MS = 2;

/** Lets a child that makes a session, and all in it, come after others from then on until `made` has settled. */
export async function yielding<T>(child: number, made: Promise<T>): Promise<T> {
  let yields = false;
  const look = setInterval(() => {
    // Until then it is in ours.
    if (!leadsSession(child)) return;
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
    // It is gone, or there are no autogroups.
  }
}

/** Nobody else's shell is in its session. */
function leadsSession(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // After the name in parentheses: state, parent, group, session (proc_pid_stat(5)).
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === pid;
  } catch {
    return false; // it is gone
  }
}
