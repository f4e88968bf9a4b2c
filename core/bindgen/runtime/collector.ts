// Collects garbage in slices of bounded work, between two calls of the host. AssemblyScript's own collector (rt/tcms),
// which this one replaces, walks all live objects at once.
//
// Every object is in one of two lists, which go through the two words of its header that belong to the collector. A
// cycle moves what it reaches from `unmarked` to `marked`. A cursor in `marked` tells how far it has followed
// references: those of the objects after the cursor are still to be followed. When there are none after it, not even
// once the globals were visited again, the rest of `unmarked` is garbage. Then the lists change their roles, and the
// garbage is freed, in slices, too.
//
// No collection happens during a call, so no references are on the stack, and only the globals are roots. Between two
// slices references change:
// - An object that is marked may get a reference to one that is not: `link`, which the compiler calls wherever it
//   stores a reference into an object, marks that one.
// - A new object is not marked. So it does not matter that library functions fill new objects without `link`.
// - A global may get a reference: globals are visited again at the end.
// What loses its last reference after it was marked is freed by the next cycle.
//
// Work is counted, not timed: equal calls give equal memory. Like trap.ts, this module imports none of ours.

// The header of an object: address of the next one in its list, with the colour in the two lowest bits; address of the
// one before; id of the class; size. The object's bytes follow. A list is a header with only the first two words.
const BEFORE: usize = 4;
const CLASS: usize = 8;
const SIZE: usize = 12;
const HEADER: usize = 16;
const COLOUR: u32 = 3;
/** The word of the allocator before it: the block's size and two flags (blocks.ts). */
const BLOCK: usize = 4;
const FLAGS: u32 = 3;

/** Freeing an object takes as long as following so many references. */
const FREEING: u32 = 2;
/** To overwrite 256 bytes of it takes as long as following one. */
const WIPING_BITS: u32 = 8;

/** The colour of objects that are not marked. It is the other one in every second cycle. */
let white: u32 = 0;
let unmarked: usize = 0;
/** Between marking and the end of the cycle: the garbage. */
let marked: usize = 0;
/** The last object in `marked` whose references were followed, or the list itself. 0 except while marking. */
let cursor: usize = 0;
/** Work of this slice, in references followed. */
let work: u32 = 0;

/** Every new object. `header`: its address. */
export function enlist(header: usize): void {
  if (!unmarked) {
    unmarked = emptied(memory.data(8, 4));
    marked = emptied(memory.data(8, 4));
  }
  insert(header, load<usize>(unmarked, BEFORE), unmarked, white);
}

/** The allocator has moved an object together with its header. */
export function moved(from: usize, to: usize): void {
  if (cursor == from) cursor = to;
  store<usize>(after(to), to, BEFORE);
  setAfter(load<usize>(to, BEFORE), to);
}

/** An object in use, which has no references, is freed without a collection. */
export function delist(header: usize): void {
  const previous = load<usize>(header, BEFORE);
  if (cursor == header) cursor = previous;
  store<usize>(after(header), previous, BEFORE);
  setAfter(previous, after(header));
}

/** An object has got a reference to another one, or to null. */
export function link(parent: usize, child: usize, _expectMultiple: bool): void {
  if (cursor) shade(parent, child);
}

function shade(parent: usize, child: usize): void {
  if (colour(parent - HEADER) != white) visit(child, 0);
}

/** The compiler calls this for every reference of an object, or of the globals, while they are visited. */
export function visit(object: usize, _cookie: u32): void {
  work += 1;
  if (!object) return;
  const header = object - HEADER;
  const isLeaf = load<u32>(header, CLASS) == idof<String>() || load<u32>(header, CLASS) == idof<ArrayBuffer>();
  // An object that is part of the code is in a list only while it is known to be in use.
  if (object < __heap_base && (isLeaf || !load<usize>(header))) {
    if (!isLeaf) append(header);
    return;
  }
  if (colour(header) != white) return;
  const next = after(header);
  const previous = load<usize>(header, BEFORE);
  store<usize>(next, previous, BEFORE);
  setAfter(previous, next);
  if (isLeaf) prepend(header);
  else append(header);
}

/**
 * Begins a cycle, or goes on with the one under way, until it is over or `most` references were followed. Those of one
 * object, and those of the globals, are always followed together. Returns whether the cycle is over.
 */
export function collectSlice(most: u32): bool {
  work = 0;
  if (!unmarked) return true;
  if (!cursor && after(marked) == marked) cursor = marked;
  return (!cursor || mark(most)) && sweep(most);
}

/**
 * Frees all that is garbage now. After that, the order of the lists depends only on the objects and their references.
 */
export function collectAll(): void {
  if (!unmarked) return;
  if (cursor || after(marked) != marked) collectSlice(<u32>-1);
  collectSlice(<u32>-1);
  work = 0;
}

/** As `collectAll`, and gives all objects the colour 0, which they do not have after every cycle. */
export function collectAlike(): void {
  collectAll();
  if (white) collectAll();
}

// Work of the last slice, as `collectSlice` counts it.
export function sliceWork(): u32 {
  return work;
}

/** Returns whether everything is marked that is in use. */
function mark(most: u32): bool {
  for (;;) {
    if (after(cursor) == marked) __visit_globals(0);
    if (after(cursor) == marked) break;
    if (work >= most) return false;
    cursor = after(cursor);
    __visit_members(cursor + HEADER, 0);
  }
  const garbage = unmarked;
  unmarked = marked;
  marked = garbage;
  white ^= 1;
  cursor = 0;
  return true;
}

/** Returns whether all garbage is freed. */
function sweep(most: u32): bool {
  let header = after(marked);
  while (header != marked && work < most) {
    let next = after(header);
    work += freeing(header);
    if (header < __heap_base) store<u64>(header, 0);
    else {
      // Objects that were made one after the other are often neighbours. The allocator gets them as one block, which it
      // would make of them anyway.
      for (; next == header + BLOCK + blockSize(header) && work < most; next = after(next)) {
        work += freeing(next);
        store<u32>(header - BLOCK, load<u32>(header - BLOCK) + <u32>(BLOCK + blockSize(next)));
      }
      __free(header);
    }
    header = next;
  }
  setAfter(marked, header);
  store<usize>(header, marked, BEFORE);
  return header == marked;
}

/** Work of freeing an object. */
// @ts-ignore: decorator
@inline
function freeing(header: usize): u32 {
  return FREEING + (load<u32>(header, SIZE) >> WIPING_BITS);
}

/** Bytes of an object's block (blocks.ts). */
// @ts-ignore: decorator
@inline
function blockSize(header: usize): usize {
  return load<u32>(header - BLOCK) & ~FLAGS;
}

// @ts-ignore: decorator
@inline
function colour(header: usize): u32 {
  return load<u32>(header) & COLOUR;
}

// @ts-ignore: decorator
@inline
function after(header: usize): usize {
  return load<usize>(header) & ~COLOUR;
}

// @ts-ignore: decorator
@inline
function setAfter(header: usize, next: usize): void {
  store<usize>(header, next | colour(header));
}

function emptied(list: usize): usize {
  store<usize>(list, list);
  store<usize>(list, list, BEFORE);
  return list;
}

/** Marks an object whose references are still to be followed. */
function append(header: usize): void {
  insert(header, load<usize>(marked, BEFORE), marked, white ^ 1);
}

/** Marks an object without references. */
function prepend(header: usize): void {
  insert(header, marked, after(marked), white ^ 1);
  if (cursor == marked) cursor = header;
}

// @ts-ignore: decorator
@inline
function insert(header: usize, previous: usize, next: usize, as: u32): void {
  store<usize>(header, next | as);
  store<usize>(header, previous, BEFORE);
  setAfter(previous, header);
  store<usize>(next, header, BEFORE);
}
