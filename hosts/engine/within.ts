// Waits with a time limit.

/** Whether a promise settles within this many milliseconds of real time. Rejects if the promise does. */
export async function within(ms: number, ended: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  return Promise.race([late, ended.then(() => true)]).finally(() => clearTimeout(timer));
}
