// Whether work lets others have their turn: by the time that this thread had a processor, since what else the machine does
// has no part in it.
import { readFileSync } from "node:fs";

export interface Turns {
  /** Nanoseconds between two turns of others, at most. */
  readonly longest: number;
  /** All of them while the work went on. */
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

/** By the main thread: proc_pid_schedstat, whose first number is the time on a processor. */
function spent(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]);
}
