// The end of the heap. The heap may end before the memory does: the part of the memory behind it is not in a snapshot,
// and an instance that restored a snapshot has held it twice. The allocator calls these functions instead of the
// memory's (componentize.ts arranges that), so that its layout does not depend on the memory's size.

/** Pages of 64 KiB; 0 until the first call. */
let pages: i32 = 0;

// @ts-ignore: decorator
@global
export function __heapPages(): i32 {
  if (!pages) pages = memory.size();
  return pages;
}

// Like `memory.grow`: returns the pages before, or -1. Whenever this is called, the memory behind the heap is zeros.
// @ts-ignore: decorator
@global
export function __growHeap(more: i32): i32 {
  const before = __heapPages();
  if (!reach(before + more)) return -1;
  pages = before + more;
  return before;
}

/** Grows the memory to at least `wanted` pages. The heap stays as it is. */
export function reach(wanted: i32): bool {
  const missing = wanted - memory.size();
  return missing <= 0 || memory.grow(missing) >= 0;
}

/** Address after the heap's last byte. */
export function heapEnd(): usize {
  return (<usize>__heapPages()) << 16;
}
