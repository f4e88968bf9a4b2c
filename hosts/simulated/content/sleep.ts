// Waiting in the world's time.

import { interrupted } from "../../shared/index.js";
import type { Clock } from "../../shared/index.js";

/** Resolves after this many nanoseconds; rejects as `interrupted` as soon as the signal is aborted. */
export function sleep(clock: Clock, ns: bigint, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(interrupted("given-up"));
    const abort = (): void => {
      callOff();
      reject(interrupted("given-up"));
    };
    const callOff = clock.at(clock.now().monotonic + ns, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
