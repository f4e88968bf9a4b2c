// Allocates objects, counts the bytes, and wipes what is freed.
//
// With the count, the host knows when a collection is worth its time (hosts/driver/garbage-collection.ts): the memory's
// size does not show how much of it is garbage. The compiler replaces the runtime's own functions by these.

import { __alloc, __free, __realloc } from "rt/tlsf";
import { E_ALLOCATION_TOO_LARGE } from "util/error";
import { delist, enlist, moved } from "./collector";

// The header of an object (collector.ts), without the word of the allocator before it.
const CLASS: usize = 8;
const SIZE: usize = 12;
const HEADER: usize = 16;
// The word of the allocator before a block: its size and two flags (blocks.ts).
const BLOCK: usize = 4;
const FREE: u32 = 1;
const FLAGS: u32 = 3;
// Bytes that an object takes in addition to its own (rt/common: TOTAL_OVERHEAD).
const OVERHEAD: u32 = 20;
/** Up to this size in bytes, a loop is quicker than `memory.fill`, which engines run outside of wasm. */
const SMALL: usize = 128;
/** rt/common: OBJECT_MAXSIZE. */
const MOST: usize = (1 << 30) - OVERHEAD;

let count: u32 = 0;

export function countingNew(size: usize, id: i32): usize {
  count += <u32>size + OVERHEAD;
  if (size > MOST) throw new Error(E_ALLOCATION_TOO_LARGE);
  const header = __alloc(HEADER + size);
  store<u32>(header, id, CLASS);
  store<u32>(header, <u32>size, SIZE);
  enlist(header);
  return header + HEADER;
}

// What a new array holds. Most arrays are empty at first, and many stay so.
// @ts-ignore: decorator
@global
export function __newItems(size: usize, data: usize): usize {
  if (!size) return changetype<usize>(noBytes());
  const items = countingNew(size, idof<ArrayBuffer>());
  if (data) memory.copy(items, data, size);
  return items;
}

/** A buffer without bytes, which all share: it is part of the code, so that it is never changed, moved or freed. */
export function noBytes(): ArrayBuffer {
  return changetype<ArrayBuffer>(memory.data<u32>([0, 0, idof<ArrayBuffer>(), 0], 16) + HEADER);
}

// Called for an array that grows. Its old block is free at once.
export function countingRenew(old: usize, size: usize): usize {
  if (old < __heap_base) return copyOf(old, size);
  count += <u32>size - load<u32>(old - HEADER, SIZE);
  if (size > MOST) throw new Error(E_ALLOCATION_TOO_LARGE);
  const before = old - HEADER;
  const header = staysInPlace(before, HEADER + size) ? __realloc(before, HEADER + size) : moveTo(before, HEADER + size);
  store<u32>(header, <u32>size, SIZE);
  return header + HEADER;
}

/** Whether the allocator has room for the larger block in its place: in the block, or in a free one right after it. */
function staysInPlace(block: usize, size: usize): bool {
  const length = (<usize>load<u32>(block - BLOCK)) & ~FLAGS;
  // The allocator adds the word before the block, and makes sizes multiples of 16 with it.
  const needed = ((size + BLOCK + 15) & ~15) - BLOCK;
  if (needed <= length) return true;
  const next = load<u32>(block + length);
  return (next & FREE) != 0 && length + BLOCK + (next & ~FLAGS) >= needed;
}

// The allocator would leave the bytes where they were, and they may be a secret.
function moveTo(block: usize, size: usize): usize {
  const to = __alloc(size);
  memory.copy(to, block, HEADER + load<u32>(block, SIZE));
  moved(block, to);
  wipingFree(block);
  return to;
}

/** More room for the bytes of a buffer, which must have no other reference: its memory is used again. */
export function widen(buffer: ArrayBuffer, size: i32): ArrayBuffer {
  const before = buffer.byteLength;
  const wider = __renew(changetype<usize>(buffer), size);
  memory.fill(wider + before, 0, size - before);
  return changetype<ArrayBuffer>(wider);
}

/**
 * Frees the bytes of a view at once, which must have been made in this call and have no other reference: large bytes
 * that only the host needs leave no garbage. The view is empty afterwards.
 */
export function release(view: Uint8Array): void {
  const header = changetype<usize>(view.buffer) - HEADER;
  if (header < __heap_base) return;
  store<ArrayBuffer>(changetype<usize>(view), noBytes(), offsetof<Uint8Array>("buffer"));
  store<usize>(changetype<usize>(view), changetype<usize>(noBytes()), offsetof<Uint8Array>("dataStart"));
  store<i32>(changetype<usize>(view), 0, offsetof<Uint8Array>("byteLength"));
  count -= load<u32>(header, SIZE) + OVERHEAD;
  delist(header);
  wipingFree(header);
}

/** Of an object that is part of the code. */
function copyOf(old: usize, size: usize): usize {
  const copy = countingNew(size, load<i32>(old - HEADER, CLASS));
  memory.copy(copy, old, min(size, <usize>load<u32>(old - HEADER, SIZE)));
  return copy;
}

// Bytes allocated during the life of the instance, modulo 2^32, without those that were freed at once.
export function allocated(): u32 {
  return count;
}

// Wipes a freed block, so that no secret stays in the unused bytes of another object.
export function wipingFree(block: usize): void {
  const size = (<usize>load<u32>(block - BLOCK)) & ~FLAGS;
  if (size > SMALL) memory.fill(block, 0, size);
  else wipe(block, block + size);
  __free(block);
}

// Sizes of blocks are multiples of 4.
function wipe(from: usize, to: usize): void {
  let at = from;
  for (; at + 8 <= to; at += 8) store<u64>(at, 0);
  if (at < to) store<u32>(at, 0);
}
