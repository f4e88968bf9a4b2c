// Runs an action many times with limited concurrency.

/** Runs `act` `count` times, at most `width` at a time. Returns the results in order. */
export async function atOnce<T>(count: number, width: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const hand = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) results[index] = await act(index);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, hand));
  return results;
}
