// All processes of an engine: what memory and the processor's time are measured of.
import type { RunningEngine } from "../tests/support/engines.js";
import { findProcesses, parentOf, pids } from "../tests/support/processes.js";

/** The daemon, what descends from it, and what names its directories: supervisors are nobody's children. */
export function processesOf(engine: RunningEngine): number[] {
  const parents = new Map(pids().map((pid) => [pid, parentOf(pid)]));
  const own = new Set([engine.daemon.pid()]);
  for (let size = 0; size < own.size;) {
    size = own.size;
    for (const [pid, parent] of parents) if (own.has(parent)) own.add(pid);
  }
  return [...new Set([...own, ...findProcesses(engine.daemon.directories.root)])];
}
