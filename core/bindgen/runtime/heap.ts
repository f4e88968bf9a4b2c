// Counts the bytes that are allocated, and wipes what is freed.
//
// With the count, the host knows when a collection is worth its time (hosts/driver/component.ts): the memory's size
// does not show how much of it is garbage. The compiler replaces the runtime's own functions by these. Like trap.ts,
// this module imports none of ours.

import { __new, __renew } from "rt/tcms";
import { __free } from "rt/tlsf";

// Bytes that an object takes in addition to its own (rt/common: TOTAL_OVERHEAD).
const OVERHEAD: u32 = 20;

let count: u32 = 0;

export function countingNew(size: usize, id: i32): usize {
  count += <u32>size + OVERHEAD;
  return __new(size, id);
}

// Called for an array that grows. Its old block is free at once, so this counts too much rather than too little.
export function countingRenew(old: usize, size: usize): usize {
  count += <u32>size;
  return __renew(old, size);
}

// Bytes allocated during the life of the instance, modulo 2^32.
export function allocated(): u32 {
  return count;
}

// Wipes a freed block, so that no secret stays in the unused bytes of another object. The word before a block has its
// size and two flags (rt/tlsf).
export function wipingFree(block: usize): void {
  memory.fill(block, 0, load<u32>(block - 4) & ~3);
  __free(block);
}
