// The processes of this machine, from /proc.
import { readdirSync, readFileSync } from "node:fs";

export function pids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Words separated by spaces; empty for ended processes and for kernel threads. */
export function commandLineOf(pid: number): string {
  return readFor(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Ids of processes whose command line contains all of the words, without the test's own process. */
export function findProcesses(...words: readonly string[]): number[] {
  return pids().filter((pid) => pid !== process.pid && words.every((word) => commandLineOf(pid).includes(word)));
}

export function childrenOf(parent: number): number[] {
  return pids().filter((pid) => parentOf(pid) === parent);
}

/** Children, their children, and so on. */
export function descendantsOf(parent: number): number[] {
  return childrenOf(parent).flatMap((child) => [child, ...descendantsOf(child)]);
}

export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFor(pid, "status"))?.[1] ?? 0);
}

/** As in proc_pid_status(5): `S (sleeping)`, `Z (zombie)`; empty if it has ended. */
export function stateOf(pid: number): string {
  return /^State:\s+(.+)/m.exec(readFor(pid, "status"))?.[1] ?? "";
}

/** Proportional set size: memory of a process, with shared pages divided among the processes that share them. */
export function pssKibibytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFor(pid, "smaps_rollup"))?.[1] ?? 0);
}

/** Resident set size: shared pages count in full. The kernel keeps count of it; for the other it visits all pages. */
export function rssKibibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFor(pid, "status"))?.[1] ?? 0);
}

/** Linux reports process times in hundredths of a second: USER_HZ, proc(5). */
const TICKS_A_SECOND = 100;

/** Seconds of processor time of the process and of its ended children that it waited for. */
export function processorSecondsOf(pid: number | "self"): number {
  const stat = readFor(pid, "stat");
  // utime, stime, cutime and cstime, counted after the name, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_A_SECOND;
}

/** A file below /proc/PID; empty if the process has ended or the file was closed, which may happen at any time. */
export function readFor(pid: number | "self", file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
