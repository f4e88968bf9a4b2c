// Returns this process's memory to the kernel. C libraries other than GNU's have neither `mallopt` nor `malloc_trim`.

import { readFileSync, realpathSync } from "node:fs";
import { call, callAside, isKnown } from "./calls.js";
import { M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, MADV_DONTNEED } from "./numbers.js";
import { handBackProgramOnce, type Mapping } from "./program-pages.js";

/** Buffers of this size get their own mapping from the kernel, which is returned when they are freed. */
const LARGE_BYTES = 1 << 20;

export const processMemory = {
  get pageBytes(): number {
    return call("getpagesize", "");
  },

  /** Memory of this process that no file has. Throws an error if the kernel's file about it cannot be opened. */
  get ownBytes(): number {
    // proc_pid_statm(5): all pages, those in memory, and those of files among them.
    const [, resident = NaN, ofFiles = NaN] = readFileSync("/proc/self/statm", "latin1").split(" ").map(Number);
    return (resident - ofFiles) * this.pageBytes;
  },

  /** Gives back whole pages of memory that is not backed by a file. They then take no memory and read as zeros. */
  handBack(pages: Uint8Array): void {
    call("madvise", "", pages, pages.length, MADV_DONTNEED);
  },

  /**
   * Gives back the pages of a file that is mapped and shared. No other thread may map or unmap it meanwhile: the pages
   * of another mapping, which took its place, could be lost.
   */
  handBackFile(path: string): void {
    for (const { start, bytes } of sharedMappings(readFileSync("/proc/self/maps", "utf8"), realpathSync(path))) {
      call("adviseAt", path, start, bytes, MADV_DONTNEED);
    }
  },

  /** Gives back the pages of the program and its libraries that were not changed. They are read again when needed. */
  handBackProgram(): void {
    handBackProgramOnce();
  },

  /**
   * Limits how much freed memory the C library keeps. The GNU C Library raises both limits by itself with each large
   * buffer, up to 32 MiB. It then keeps twice as much free in every thread's heap, where `trim` does not reach it.
   * `bytes`: from this size on buffers get their own mapping.
   */
  bound(bytes = LARGE_BYTES): void {
    if (!isKnown("mallopt")) return;
    call("mallopt", "", M_MMAP_THRESHOLD, bytes);
    call("mallopt", "", M_TRIM_THRESHOLD, bytes);
  },

  /**
   * Returns freed memory that the C library has kept. It walks through every thread's heap, so it runs off the calling
   * thread.
   */
  async trim(): Promise<void> {
    if (isKnown("malloc_trim")) await callAside("malloc_trim", 0);
  },
};

/** Where a file is mapped, so that its pages are the file's own. `maps`: the text of `/proc/self/maps`. */
function sharedMappings(maps: string, path: string): Mapping[] {
  return maps.split("\n").flatMap((line) => {
    const [, start, end, of] = /^([0-9a-f]+)-([0-9a-f]+) ..[x-]s \S+ \S+ \S+ +(.*)$/.exec(line) ?? [];
    return of === path ? [{ start: BigInt(`0x${start}`), bytes: BigInt(`0x${end}`) - BigInt(`0x${start}`) }] : [];
  });
}
