// Takes and restores snapshots of an instance: its memory up to the last object in the heap, unchanged, with the
// globals in a header. So a snapshot is complete without a list of the state, and only an instance of the same code
// can restore it.
//
// Between `take` and `putBack` nothing is allocated or collected, and the instance accepts no calls.

import { blockAfter, closeHeap, firstBlock, isOf, sizeOf, textOf, wipeFree } from "./blocks";
import { collectAlike } from "./collector";
import { erase } from "./erase";
import { __heapPages, heapEnd, reach } from "./extent";

// placeholders.ts gives these functions their bodies once the module is compiled: AssemblyScript cannot list its
// globals.
// @ts-ignore: decorator
@external("build", "saveGlobals")
declare function saveGlobals(at: usize): void;
// @ts-ignore: decorator
@external("build", "loadGlobals")
declare function loadGlobals(at: usize): void;
// @ts-ignore: decorator
@external("build", "identity")
declare function identity(): u64;

// The start of the memory is reserved for the header (placeholders.ts): u64 magic, u64 identity of the code, u32
// format, u32 total bytes, u32 pages of the heap, 4 unused bytes, globals. It is zeros except while a snapshot is
// taken.
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
 * Collects garbage, wipes free memory, and blanks the texts of every object of a secret class, which has no other
 * fields. `secrets`: the address of a list with the id of each class and the number of its texts; a zero follows the
 * last one. Returns the address of the snapshot's address and length.
 */
export function take(secrets: usize): usize {
  collectAlike();
  const length = wipeFree();
  blank(secrets);
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

/** Restores the blanked texts, and clears the header. */
export function putBack(): void {
  memory.fill(0, 0, FRONT);
  let at = heapEnd();
  for (; load<u32>(at); at += 8 + load<u32>(at, 4)) memory.copy(load<u32>(at), at + 8, load<u32>(at, 4));
  memory.fill(heapEnd(), 0, at - heapEnd());
}

/** Restores a snapshot. Its bytes are at `at`, in the memory that they overwrite. */
export function restore(at: usize, length: usize): void {
  admit(at, length);
  memory.copy(0, at, length);
  goOn(length);
}

/** Checks a snapshot whose header is at `at`, and makes room for the whole. */
export function admit(at: usize, length: usize): void {
  if (length < FRONT || load<u64>(at) != MAGIC) throw new Error("this is no snapshot");
  if (load<u32>(at, FORM) != FORMAT || load<u64>(at, IDENTITY) != identity()) {
    throw new Error("this is a snapshot of another core");
  }
  if (load<u32>(at, LENGTH) != length) throw new Error("this snapshot is not whole");
  if (!reach(load<u32>(at, PAGES))) throw new Error("no memory for the snapshot");
}

/** Goes on from a snapshot whose bytes are at 0. The memory behind the heap before is zeros already. */
export function goOn(length: usize): void {
  if (heapEnd() > length) memory.fill(length, 0, heapEnd() - length);
  loadGlobals(GLOBALS);
  memory.fill(0, 0, FRONT);
  closeHeap(length);
}

// Secrets are saved behind the heap, which a snapshot does not include: each with its address, its size and its bytes.
// A zero follows the last one.

function blank(secrets: usize): void {
  let room: usize = 4;
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    const texts = textsIn(block, secrets);
    for (let i: u32 = 0; i < texts; i++) room += 8 + ((<usize>textOf(block, i).length) << 1);
  }
  if (!reach(__heapPages() + <i32>((room + 0xffff) >> PAGE_BITS))) throw new Error("no memory to put secrets aside");
  let at = heapEnd();
  for (let block = firstBlock(); sizeOf(block); block = blockAfter(block)) {
    const texts = textsIn(block, secrets);
    for (let i: u32 = 0; i < texts; i++) at = putAside(textOf(block, i), at);
  }
  // Blanks them only now, since two objects may share a text.
  for (at = heapEnd(); load<u32>(at); at += 8 + load<u32>(at, 4)) erase(changetype<string>(<usize>load<u32>(at)));
}

/** How many texts of an object are secret: all of a secret class, or none. */
function textsIn(block: usize, secrets: usize): u32 {
  for (let at = secrets; load<u32>(at); at += 8) if (isOf(block, load<u32>(at))) return load<u32>(at, 4);
  return 0;
}

/** Saves one text at `at`. Returns the address for the next one. */
function putAside(text: string, at: usize): usize {
  const size = (<usize>text.length) << 1;
  // An empty text may be one from the source, which must not change.
  if (!size) return at;
  store<u32>(at, changetype<usize>(text));
  store<u32>(at, size, 4);
  memory.copy(at + 8, changetype<usize>(text), size);
  return at + 8 + size;
}
