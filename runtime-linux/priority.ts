// The daemon's one thread answers everybody, and mostly waits: where processors are few it comes before what it starts,
// so that many containers that begin at once hold up no answers. All that it starts has the usual priority.

import { readFileSync, writeFileSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import type { Kernel } from "./kernel.js";

/** Of sched(7): 0 is usual, -20 the most. */
const NICE = -10;
const OWN = 0;

/** Of the calling thread. Nothing is done where somebody has chosen another priority, or this may not be changed. */
export function comeFirst(kernel: Kernel): void {
  try {
    if (getPriority(OWN) !== 0) return;
    kernel.resetOnFork();
    setPriority(OWN, NICE);
    // Where sessions share processors among each other (sched(7), autogroups) it is the session's that counts.
    if (isSessionLeader()) writeFileSync("/proc/self/autogroup", String(NICE));
  } catch {
    // Without the right to it, or without autogroups, it works all the same.
  }
}

/** Nobody else's shell is in its session. */
function isSessionLeader(): boolean {
  const stat = readFileSync("/proc/self/stat", "latin1");
  // After the name in parentheses: state, parent, group, session (proc_pid_stat(5)).
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]) === process.pid;
}
