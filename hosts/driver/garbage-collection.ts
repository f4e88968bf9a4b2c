// When an instance of the core collects its garbage.

/** Small enough to stay in a processor's cache, large enough for a few hundred steps. */
const LEAST_GARBAGE = 1024 * 1024;

/**
 * Whether to collect after a step, without waiting for an idle moment. A collection walks all live objects, so with
 * more memory it should be rarer. But memory that has grown never shrinks. `garbage`: bytes allocated since the last
 * collection; `memory`: bytes of the instance's memory.
 */
export function mustCollect(garbage: number, memory: number): boolean {
  return garbage > LEAST_GARBAGE && garbage > memory / 2;
}

/**
 * Whether a collection in an idle moment is worth it, so that no request has to wait for it later. Not after every few
 * steps: an instance with little to do each second is idle each second, and would walk all live objects each time.
 */
export function mayCollect(garbage: number, memory: number): boolean {
  return garbage > memory / 8;
}
