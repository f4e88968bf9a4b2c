// Counts the bytes that are allocated, and wipes what is freed.
//
// The count is there so that whoever holds the core instance knows when a collection is worth its time
// (hosts/driver/component.ts): its memory's size does not tell what in it is garbage. The compiler puts these in the place of
// the runtime's own. A leaf, as trap.ts is.

import { __new, __renew } from "rt/tcms";
import { __free } from "rt/tlsf";

// What an object takes besides its own bytes (rt/common: TOTAL_OVERHEAD).
const OVERHEAD: u32 = 20;

let count: u32 = 0;

export function countingNew(size: usize, id: i32): usize {
  count += <u32>size + OVERHEAD;
  return __new(size, id);
}

// Of an array that grows. What it leaves is free at once: this counts too much rather than too little.
export function countingRenew(old: usize, size: usize): usize {
  count += <u32>size;
  return __renew(old, size);
}

// Bytes allocated in the life of the instance, modulo 2^32.
export function allocated(): u32 {
  return count;
}

// What was secret must not come up again in the gaps of another object. The word before a block holds its size, and two
// flags (rt/tlsf).
export function wipingFree(block: usize): void {
  memory.fill(block, 0, load<u32>(block - 4) & ~3);
  __free(block);
}
