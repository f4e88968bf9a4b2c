// Waiting for no longer than a while.

/** Whether something ends within so many milliseconds of real time. Rejects if it does. */
export async function within(ms: number, ended: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  return Promise.race([late, ended.then(() => true)]).finally(() => clearTimeout(timer));
}
