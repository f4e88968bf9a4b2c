// Walks the heap block by block, in the layout of AssemblyScript's allocator (rt/tlsf) and of our collector (collector.ts). A
// block is a word with its size and two flags, and then its bytes. A free block has two links at the start of its
// bytes and one at the end. A used block holds an object: two words of the collector, the id of the class, the size, the
// bytes. The last block has size 0, and ends at the end of the heap.

import { ROOT } from "rt/tlsf";
import { heapEnd } from "./extent";

const FREE: u32 = 1;
const LEFT_FREE: u32 = 2;
const FLAGS: u32 = 3;
const WORD: usize = 4;
const LINKS: usize = 12;
const OBJECT_CLASS: usize = 12;
const OBJECT_SIZE: usize = 16;
const HEADERS: usize = 20;
const ALIGNMENT: usize = 16;
const ROOT_SIZE: usize = 1572;
/** The usual page size of the system in bytes. */
const PAGE: usize = 4096;

/**
 * Overwrites everything that belongs to no object with zeros: free blocks, and unused bytes of used blocks. Returns
 * the address from which on the heap is all zeros.
 */
export function wipeFree(): usize {
  let last: usize = 0;
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    const end = blockAfter(block);
    if (load<u32>(block) & FREE) wipe(block + LINKS, end - WORD);
    else wipe(block + HEADERS + load<u32>(block, OBJECT_SIZE), end);
    last = block;
  }
  return load<u32>(last) & FREE ? last + LINKS : heapEnd();
}

/** Restores the last link and the last block if a snapshot left out the zeros at the end of the heap. */
export function closeHeap(length: usize): void {
  if (length == heapEnd()) return;
  store<u32>(heapEnd() - 2 * WORD, length - LINKS);
  store<u32>(heapEnd() - WORD, LEFT_FREE);
}

/** Skips pages that are zeros already: the system may have taken them back, and a write would allocate them again. */
function wipe(from: usize, to: usize): void {
  while (from < to) {
    const end = min(to, (from + PAGE) & ~(PAGE - 1));
    if (!isZeros(from, end)) memory.fill(from, 0, end - from);
    from = end;
  }
}

function isZeros(from: usize, to: usize): bool {
  for (; from + 8 <= to; from += 8) if (load<u64>(from)) return false;
  for (; from < to; from++) if (load<u8>(from)) return false;
  return true;
}

/** Address of the first block's first word. */
export function firstBlock(): usize {
  const end = changetype<usize>(ROOT) + ROOT_SIZE + WORD;
  return ((end + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) - WORD;
}

/** Bytes after the block's first word; 0 for the last block. */
// @ts-ignore: decorator
@inline
export function sizeOf(block: usize): u32 {
  return load<u32>(block) & ~FLAGS;
}

// @ts-ignore: decorator
@inline
export function blockAfter(block: usize): usize {
  return block + WORD + sizeOf(block);
}

/** Whether the block holds an object of this class. */
// @ts-ignore: decorator
@inline
export function isOf(block: usize, id: u32): bool {
  return !(load<u32>(block) & FREE) && load<u32>(block, OBJECT_CLASS) == id;
}

/** A field of an object that has only texts. */
export function textOf(block: usize, index: u32): string {
  return changetype<string>(<usize>load<u32>(block + HEADERS + ((<usize>index) << 2)));
}
