// Keeps few pages of the files that are Node's program: most of them are needed only to start, and many only now and then.
// A page that is handed back is read again when it is needed: from the kernel's cache, which takes a microsecond.

import { closeSync, openSync, readFileSync } from "node:fs";
import { attempt } from "./calls.js";
import {
  MADV_DONTNEED,
  O_CLOEXEC,
  UFFD_API,
  UFFD_FEATURE_WP_ASYNC,
  UFFDIO_API,
  UFFDIO_REGISTER,
  UFFDIO_REGISTER_MODE_WP,
  USERFAULTFD_IOC_NEW,
} from "./numbers.js";

/** How often a process that works looks whether it keeps too much. */
const WORK_MS = 20;
/** With less in memory, a process that works keeps its pages: to read them again takes a part of its speed. */
const MOST_KEPT_BYTES = 24 * 2 ** 20;

export interface Mapping {
  start: bigint;
  bytes: bigint;
}

let program: readonly Mapping[] = [];
let looksLater = false;
let worked = false;

/** `smaps`: some kernels have no such file (CONFIG_PROC_PAGE_MONITOR). Then the pages stay. */
export function handBackProgram(smaps = "/proc/self/smaps"): void {
  program = unchanged(textOf(smaps));
  readSinglePages(program);
  handBack(program);
}

/**
 * Hands them back once, for a process that has had much to do, and now has little. What it needs next is read as usual:
 * sixteen pages at a time.
 */
export function handBackProgramOnce(smaps = "/proc/self/smaps"): void {
  handBack(unchanged(textOf(smaps)));
}

/** Tells that the process works. Its pages are handed back a moment after it has ended, or before if it has too many. */
export function handBackLater(): void {
  worked = true;
  if (looksLater || program.length === 0) return;
  lookLater();
}

function lookLater(): void {
  looksLater = true;
  setTimeout(look, WORK_MS).unref();
}

function look(): void {
  looksLater = false;
  const goesOn = worked;
  worked = false;
  if (!goesOn || process.memoryUsage.rss() > MOST_KEPT_BYTES) handBack(program);
  if (goesOn) lookLater();
}

function handBack(mappings: readonly Mapping[]): void {
  for (const { start, bytes } of mappings) attempt("adviseAt", start, bytes, MADV_DONTNEED);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Where programs and libraries are that nobody can write to by their mapping, and of which no page was changed: those
 * could not be read again. Other files do not count. One of them may be unmapped later, and something else may be there
 * by the time that pages are handed back.
 */
export function unchanged(smaps: string): Mapping[] {
  const mappings = smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap(ofFile);
  const programs = new Set(mappings.filter(({ rights }) => rights.includes("x")).map(({ path }) => path));
  return mappings
    .filter(({ rights, path, isChanged }) => /^r-[x-]p$/.test(rights) && programs.has(path) && !isChanged)
    .map(({ start, bytes }) => ({ start, bytes }));
}

interface OfFile extends Mapping {
  rights: string;
  path: string;
  isChanged: boolean;
}

function ofFile(mapping: string): OfFile[] {
  const [, from, to, rights = "", path = ""] =
    /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ +(\/.+)$/m.exec(mapping) ?? [];
  if (from === undefined || to === undefined) return [];
  const start = BigInt(`0x${from}`);
  // The kernel counts changed pages that it has swapped out apart.
  const isChanged = !/^Anonymous: +0 kB$/m.test(mapping) || /^Swap: +[1-9]/m.test(mapping);
  return [{ start, bytes: BigInt(`0x${to}`) - start, rights, path, isChanged }];
}

/**
 * Lets the kernel map only the page that is needed, not the fifteen next to it as well (fault-around). It does so where
 * userfaultfd(2) watches for writing, and nobody writes here. Kernels before 6.7 watch no files, and others may have no
 * userfaultfd: there, a process keeps more pages. The descriptor stays open, since the kernel forgets all with it.
 */
function readSinglePages(mappings: readonly Mapping[]): void {
  const watch = openWatch();
  if (watch < 0) return;
  for (const { start, bytes } of mappings) {
    const range = BigUint64Array.of(start, bytes, UFFDIO_REGISTER_MODE_WP, 0n);
    attempt("ioctl", watch, UFFDIO_REGISTER, new Uint8Array(range.buffer));
  }
}

/** A negative number: the kernel has none that can be used here. */
function openWatch(): number {
  let device: number;
  try {
    device = openSync("/dev/userfaultfd", "r+");
  } catch {
    return -1;
  }
  const watch = attempt("openPeer", device, USERFAULTFD_IOC_NEW, O_CLOEXEC);
  closeSync(device);
  if (watch < 0) return watch;
  const wish = BigUint64Array.of(UFFD_API, UFFD_FEATURE_WP_ASYNC, 0n);
  if (attempt("ioctl", watch, UFFDIO_API, new Uint8Array(wish.buffer)) === 0) return watch;
  closeSync(watch);
  return -1;
}
