// The runtime of the generated bindings: the generic types, and functions that pass strings, bytes and lists across
// the boundary.
//
// All memory that is passed is garbage-collected, and no collection happens during a call: with `--runtime minimal` it
// happens only in the exported collect function, on an empty stack. So nothing must be pinned, freed or copied.

/** A number that may be missing: `Box<u32> | null`. */
export class Box<T> {
  constructor(public value: T) {}
}

export class Tuple2<A, B> {
  constructor(
    public first: A,
    public second: B,
  ) {}
}

/** Exactly one of the two fields is not null. */
export class Result<O, F> {
  constructor(
    public ok: O | null,
    public error: F | null,
  ) {}
}

// The host allocates memory with this function. The block is a GC object of the right class at once: a string
// (alignment 2) is used in place, and bytes and lists of numbers become the buffer of their view.
export function cabi_realloc(old: usize, oldSize: usize, align: usize, size: usize): usize {
  const block = __new(size, align == 2 ? idof<String>() : idof<ArrayBuffer>());
  if (old) memory.copy(block, old, min(oldSize, size));
  return block;
}

export function liftString(at: usize): string {
  return load<u32>(at, 4) ? changetype<string>(<usize>load<u32>(at)) : "";
}

export function lowerString(at: usize, value: string): void {
  store<u32>(at, changetype<usize>(value));
  store<u32>(at, value.length, 4);
}

export function liftBytes(at: usize): Uint8Array {
  const length = load<u32>(at, 4);
  return length ? Uint8Array.wrap(changetype<ArrayBuffer>(<usize>load<u32>(at)), 0, length) : new Uint8Array(0);
}

export function lowerBytes(at: usize, value: Uint8Array): void {
  store<u32>(at, value.dataStart);
  store<u32>(at, value.length, 4);
}

/** Memory for the elements of a list that is passed to the host. */
export function allocate(size: usize): usize {
  return __new(size, idof<ArrayBuffer>());
}
