// Repeatable random numbers.

/** Random integers from 0 up to below a limit, the same for each seed. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % limit;
  };
}
