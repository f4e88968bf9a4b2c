// The daemon's one thread answers everybody, and mostly waits: where processors are few it comes before what it starts,
// so that many containers that begin at once hold up no answers. All that it starts has the usual priority.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { Kernel } from "./kernel.js";

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
    if (isSessionLeader()) writeFileSync("/proc/self/autogroup", String(NICE));
  } catch {
    // Without the right to it, or without autogroups, it works all the same.
  }
}

/** Lets a child that leads a session, and all in it, come after others until `made` has settled. */
export async function yielding<T>(leader: number, made: Promise<T>): Promise<T> {
  setSessionsPriority(leader, YIELDING);
  try {
    return await made;
  } finally {
    setSessionsPriority(leader, USUAL);
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
function isSessionLeader(): boolean {
  const stat = readFileSync("/proc/self/stat", "latin1");
  // After the name in parentheses: state, parent, group, session (proc_pid_stat(5)).
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === process.pid;
}
