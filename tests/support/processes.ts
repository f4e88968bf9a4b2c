// The processes of this machine, as /proc has them.
import { readdirSync, readFileSync } from "node:fs";

export function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Words parted by spaces; empty for a process that has ended, and for the kernel's. */
export function commandLineOf(pid: number): string {
  return readFor(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Ids of processes whose command line holds all of the words; the test's own is not among them. */
export function findProcesses(...words: readonly string[]): number[] {
  return pids().filter((pid) => pid !== process.pid && words.every((word) => commandLineOf(pid).includes(word)));
}

export function childrenOf(parent: number): number[] {
  return pids().filter((pid) => parentOf(pid) === parent);
}

export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFor(pid, "status"))?.[1] ?? 0);
}

/** As proc_pid_status(5) has it: `S (sleeping)`, `Z (zombie)`; empty for one that has ended. */
export function stateOf(pid: number): string {
  return /^State:\s+(.+)/m.exec(readFor(pid, "status"))?.[1] ?? "";
}

/** Proportional set size: what a process holds, pages that are shared split among those who share them. */
export function pssKibibytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFor(pid, "smaps_rollup"))?.[1] ?? 0);
}

/** Resident set size: pages that are shared counted in full. */
export function rssKibibytes(pid: number): number {
  return Number(/^Rss:\s+(\d+)/m.exec(readFor(pid, "smaps_rollup"))?.[1] ?? 0);
}

/** Linux tells times of processes in hundredths of a second: USER_HZ, proc(5). */
const TICKS_A_SECOND = 100;

/** Seconds of processors that it took, and the ended ones that it started and waited for. */
export function processorSecondsOf(pid: number | "self"): number {
  const stat = readFor(pid, "stat");
  // utime, stime, cutime and cstime, counted behind the name, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_A_SECOND;
}

/** A file below /proc/PID; empty once what it tells of has ended or was closed, which may be at any moment. */
export function readFor(pid: number | "self", file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
