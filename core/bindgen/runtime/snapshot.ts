// An instance as bytes: its memory up to the last thing in the heap, as it lies there, with the globals in front. So a
// snapshot is complete without anybody listing what there is; and only an instance of the very same code can take it in.
//
// Nothing is allocated or collected between `take` and `putBack`, and no call gets in.

import { blockAfter, closeHeap, colour, firstBlock, isOf, sizeOf, textOf, wipeFree } from "./blocks";
import { erase } from "./erase";
import { __heapPages, heapEnd, reach } from "./extent";

// What placeholders.ts gives bodies to, once the module is compiled: AssemblyScript cannot list its globals.
// @ts-ignore: decorator
@external("build", "saveGlobals")
declare function saveGlobals(at: usize): void;
// @ts-ignore: decorator
@external("build", "loadGlobals")
declare function loadGlobals(at: usize): void;
// @ts-ignore: decorator
@external("build", "identity")
declare function identity(): u64;

// The front of the memory is left free for it (placeholders.ts): u64 magic, u64 identity of the code, u32 format, u32
// bytes in all, u32 pages of the heap, 4 bytes free, globals. It is zeros but while a snapshot is taken.
const FRONT: usize = 4096;
const IDENTITY: usize = 8;
const FORM: usize = 16;
const LENGTH: usize = 20;
const PAGES: usize = 24;
const GLOBALS: usize = 32;
const MAGIC: u64 = 0x746f687370616e73; // "snapshot"
const FORMAT: u32 = 1;
const PAGE_BITS: usize = 16;

/**
 * Gives back what nothing refers to, wipes what is free, and blanks the texts of every object of class `secret`, which
 * has only texts, so many. Returns the address of the snapshot's address and length.
 */
export function take(secret: u32, texts: u32): usize {
  __collect();
  // Each collection changes the colour of what lives: the same state is to make the same bytes.
  if (colour()) __collect();
  const length = wipeFree();
  blank(secret, texts);
  store<u64>(0, MAGIC);
  store<u64>(0, identity(), IDENTITY);
  store<u32>(0, FORMAT, FORM);
  store<u32>(0, length, LENGTH);
  store<u32>(0, __heapPages(), PAGES);
  saveGlobals(GLOBALS);
  const result = memory.data(8, 4);
  store<u32>(result, 0);
  store<u32>(result, length, 4);
  return result;
}

/** Undoes the blanking. */
export function putBack(): void {
  memory.fill(0, 0, FRONT);
  let at = heapEnd();
  for (; load<u32>(at); at += 8 + load<u32>(at, 4)) memory.copy(load<u32>(at), at + 8, load<u32>(at, 4));
  memory.fill(heapEnd(), 0, at - heapEnd());
}

/** Takes a snapshot's place: bytes at `at`, in the memory that they overwrite. */
export function restore(at: usize, length: usize): void {
  if (length < FRONT || load<u64>(at) != MAGIC) throw new Error("this is no snapshot");
  if (load<u32>(at, FORM) != FORMAT || load<u64>(at, IDENTITY) != identity()) {
    throw new Error("this is a snapshot of another core");
  }
  if (load<u32>(at, LENGTH) != length) throw new Error("this snapshot is not whole");
  if (!reach(load<u32>(at, PAGES))) throw new Error("no memory for the snapshot");
  memory.copy(0, at, length);
  memory.fill(length, 0, ((<usize>memory.size()) << PAGE_BITS) - length);
  loadGlobals(GLOBALS);
  memory.fill(0, 0, FRONT);
  closeHeap(length);
}

// Secrets are put aside behind the heap, where no snapshot reaches: of each its address, its size, its bytes; a zero
// behind the last.

function blank(secret: u32, texts: u32): void {
  let room: usize = 4;
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    if (!isOf(block, secret)) continue;
    for (let i: u32 = 0; i < texts; i++) room += 8 + ((<usize>textOf(block, i).length) << 1);
  }
  if (!reach(__heapPages() + <i32>((room + 0xffff) >> PAGE_BITS))) throw new Error("no memory to put secrets aside");
  let at = heapEnd();
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    if (!isOf(block, secret)) continue;
    for (let i: u32 = 0; i < texts; i++) at = putAside(textOf(block, i), at);
  }
  // Only now: two objects may share a text.
  for (at = heapEnd(); load<u32>(at); at += 8 + load<u32>(at, 4)) erase(changetype<string>(<usize>load<u32>(at)));
}

/** Where the next one goes. */
function putAside(text: string, at: usize): usize {
  const size = (<usize>text.length) << 1;
  // The empty text may be one that stands in the source.
  if (!size) return at;
  store<u32>(at, changetype<usize>(text));
  store<u32>(at, size, 4);
  memory.copy(at + 8, changetype<usize>(text), size);
  return at + 8 + size;
}
