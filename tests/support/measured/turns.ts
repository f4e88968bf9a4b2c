// Checks that work yields to other tasks, measured by the processor time of this thread, so that other work on the
// machine has no influence.
import { readFileSync } from "node:fs";

export interface Turns {
  /** Longest time between two turns of other tasks, in nanoseconds. */
  readonly longest: number;
  /** Total time of the work. */
  readonly whole: number;
}

export async function turnsDuring(act: () => Promise<unknown>): Promise<Turns> {
  const begun = spent();
  let last = begun;
  let longest = 0;
  const othersTurn = (): void => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(othersTurn, 1);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  othersTurn();
  return { longest, whole: spent() - begun };
}

/** Processor time of the main thread: the first number of proc_pid_schedstat. */
function spent(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]);
}
