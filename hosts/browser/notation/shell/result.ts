// What came of a command, for what stands behind it in the line.

export interface Result {
  /** What it ended with; 0 if it went well. */
  readonly code: number;
  readonly printed: string;
  /** What it ends with, where it is not waited for. */
  readonly later?: Promise<number>;
}

/** As after SIGINT. */
export const INTERRUPTED = 130;
