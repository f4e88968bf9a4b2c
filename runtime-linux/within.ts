// Waits no longer than a limit.

/**
 * Settles as `awaited` does, or rejects with the error of `late` if that takes longer than `ms`. The timer does not keep
 * the process alive. An `AbortSignal` would do the same, but it makes two errors with stack traces each time.
 */
export async function within<T>(awaited: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms).unref();
  });
  try {
    return await Promise.race([awaited, limit]);
  } finally {
    clearTimeout(timer);
  }
}
