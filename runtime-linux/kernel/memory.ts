// Memory of this process, handed back to the kernel. Other C libraries than GNU's have neither `mallopt` nor `malloc_trim`.

import { call, callAside, isKnown } from "./calls.js";
import { M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, MADV_DONTNEED } from "./numbers.js";

/** Buffers of that size are taken from the kernel each by itself, and given back with their end. */
const LARGE_BYTES = 1 << 20;

export const processMemory = {
  /** Whole pages of memory that no file is behind: from now on they take none, and are zeros. */
  handBack(pages: Uint8Array): void {
    call("madvise", "", pages, pages.length, MADV_DONTNEED);
  },

  /**
   * Has the C library keep less of what is freed. The GNU C Library raises both bounds by itself with each large buffer, up
   * to 32 MiB, and then keeps twice as much free in the heap of every thread, where `trim` does not get at it.
   */
  bound(): void {
    if (!isKnown("mallopt")) return;
    call("mallopt", "", M_MMAP_THRESHOLD, LARGE_BYTES);
    call("mallopt", "", M_TRIM_THRESHOLD, LARGE_BYTES);
  },

  /** What the C library has kept of what was freed. Every heap of its threads is gone through: off the calling thread. */
  async trim(): Promise<void> {
    if (isKnown("malloc_trim")) await callAside("malloc_trim", 0);
  },
};
