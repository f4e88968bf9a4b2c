// All processes of an engine, for measuring memory and processor time.
import type { RunningEngine } from "../tests/support/engines.js";
import { findProcesses, parentOf, pids, processorSecondsOf, readFor } from "../tests/support/processes.js";

/** The daemon, its descendants, and processes that name its directories, because supervisors have no parent here. */
export function processesOf(engine: RunningEngine): number[] {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const own = new Set([engine.daemon.pid()]);
  for (let size = 0; size < own.size;) {
    size = own.size;
    for (const [pid, parent] of parents) if (own.has(parent)) own.add(pid);
  }
  return [...new Set([...own, ...findProcesses(engine.daemon.directories.root)])];
}

/** Of the engine's processes, and of their children that have ended. */
export function processorSecondsOfAll(engine: RunningEngine): number {
  return processesOf(engine).reduce((sum, pid) => sum + processorSecondsOf(pid), 0);
}

/** Of the daemon's main thread alone, which takes all steps and answers all requests. */
export function mainThreadSeconds(engine: RunningEngine): number {
  const pid = engine.daemon.pid();
  const stat = readFor(pid, `task/${pid}/stat`);
  // utime and stime in hundredths of a second (proc_pid_stat(5)), counted after the name.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
