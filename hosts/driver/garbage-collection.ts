// When an instance of the core collects its garbage, and how much of the work it does at a time.

/** Small enough to stay in a processor's cache, large enough for a few hundred steps. */
const LEAST_GARBAGE = 1024 * 1024;

/**
 * Work of a slice, in references followed: one to two milliseconds. Each slice drives the data of steps out of the
 * processor's caches: with slices of half the size, 1,000 inspects among 3,000 containers took 4 % longer.
 */
const SLICE = 20_000;
/** After a step that has allocated more than this, a slice is longer, so that memory does not grow much meanwhile. */
const USUAL_BYTES = 1024 * 1024;
/** By this factor at most: five milliseconds are a long time for those who wait. */
const LONGEST = 2;

/** The work of the next slice. `allocated`: bytes allocated since the last one. */
export function sliceAfter(allocated: number): number {
  return SLICE * Math.min(LONGEST, 1 + Math.floor(allocated / USUAL_BYTES));
}

/**
 * Whether to begin a collection after a step, without waiting for an idle moment. A collection walks all live objects,
 * so with more memory it should be rarer. But memory that has grown never shrinks. `garbage`: bytes allocated since the
 * last collection began; `memory`: bytes of the instance's memory.
 */
export function mustCollect(garbage: number, memory: number): boolean {
  return garbage > LEAST_GARBAGE && garbage > (memory * 3) / 8;
}

/**
 * Whether to finish a collection at once, since steps allocate faster than its slices free: with the garbage at which it
 * began, there is as much as half of the memory.
 */
export function mustFinish(garbage: number, memory: number): boolean {
  return garbage > LEAST_GARBAGE && garbage > memory / 8;
}

/**
 * Whether a collection in an idle moment is worth it, so that no request has to wait for it later. Not after every few
 * steps: an instance with little to do each second is idle each second, and would walk all live objects each time.
 */
export function mayCollect(garbage: number, memory: number): boolean {
  return garbage > memory / 8;
}
