// The result of a command, for the rest of the line.

export interface Result {
  /** The exit code; 0 for success. */
  readonly code: number;
  readonly printed: string;
  /** The later exit code, if the command is not waited for. */
  readonly later?: Promise<number>;
}

/** The exit code after SIGINT. */
export const INTERRUPTED = 130;
