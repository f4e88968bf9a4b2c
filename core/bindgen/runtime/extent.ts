// Where the heap ends. It may end before the memory does: what a snapshot leaves out lies beyond it, and an instance that
// took a snapshot in has held it twice. The allocator asks here instead of the memory (componentize.ts sees to it), so
// that it lays out the same whatever lies beyond.

/** Pages of 64 KiB; 0 until somebody asks. */
let pages: i32 = 0;

// @ts-ignore: decorator
@global
export function __heapPages(): i32 {
  if (!pages) pages = memory.size();
  return pages;
}

// As `memory.grow`: pages before, or -1. What lies between heap and memory's end is zeros while this can be called.
// @ts-ignore: decorator
@global
export function __growHeap(more: i32): i32 {
  const before = __heapPages();
  if (!reach(before + more)) return -1;
  pages = before + more;
  return before;
}

/** Makes the memory so many pages long at least; the heap stays as it is. */
export function reach(wanted: i32): bool {
  const missing = wanted - memory.size();
  return missing <= 0 || memory.grow(missing) >= 0;
}

/** Address behind the heap's last byte. */
export function heapEnd(): usize {
  return (<usize>__heapPages()) << 16;
}
