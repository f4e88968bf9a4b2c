// All processes of an engine, for measuring memory and processor time.
import type { RunningEngine } from "../tests/support/engines.js";
import { findProcesses, parentOf, pids, processorSecondsOf } from "../tests/support/processes.js";

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
