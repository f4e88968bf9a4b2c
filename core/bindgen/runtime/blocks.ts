// The heap, block by block, as AssemblyScript's allocator and collector lay it out (rt/tlsf, rt/common): a block is a word
// with its size and two flags, then its bytes. A free one keeps two links at their beginning and one at their end; one in
// use holds an object: two words of the collector's (in two bits of the first its colour), id of its class, size, bytes.
// The last block has size 0, and ends where the heap does.

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
/** Of the system, in bytes, as it mostly is. */
const PAGE: usize = 4096;

/** Zeros for whatever belongs to no object: free blocks, and what an object leaves of its block. Where zeros begin. */
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

/** What a free block keeps at its end, and the last block, where the zeros were left out. */
export function closeHeap(length: usize): void {
  if (length == heapEnd()) return;
  store<u32>(heapEnd() - 2 * WORD, length - LINKS);
  store<u32>(heapEnd() - WORD, LEFT_FREE);
}

/** What is zeros already is not written: pages of it may have been handed back to the system, and would be taken again. */
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

/** Address of its first word. */
export function firstBlock(): usize {
  const end = changetype<usize>(ROOT) + ROOT_SIZE + WORD;
  return ((end + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) - WORD;
}

/** Bytes behind its first word; 0 of the last block. */
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

/** Whether it holds an object of this class. */
// @ts-ignore: decorator
@inline
export function isOf(block: usize, id: u32): bool {
  return !(load<u32>(block) & FREE) && load<u32>(block, OBJECT_CLASS) == id;
}

/** Of what lives: the last collection gave it to all of them. */
export function colour(): u32 {
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    if (!(load<u32>(block) & FREE)) return load<u32>(block, WORD) & FLAGS;
  }
  return 0;
}

/** A field of an object that has nothing but texts. */
export function textOf(block: usize, index: u32): string {
  return changetype<string>(<usize>load<u32>(block + HEADERS + ((<usize>index) << 2)));
}
