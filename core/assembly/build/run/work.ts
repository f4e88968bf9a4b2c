// One step of a build that takes time: a command that runs, or files that are copied.

/** Waits for a step. */
export interface WorkClient {
  /** `diffId`: of the layer that it wrote; empty if it wrote nothing. `container`: that ran it, or empty. */
  workKept(diffId: string, container: string): void;
  /** Nothing is left to do: the next step may begin. */
  workDone(): void;
  /** `code`: exit code of the program that failed; 0 if none did. */
  workFailed(why: string, code: i32): void;
}

/** A step in progress. */
export interface OpenWork {
  /** The build is given up: nothing of the step stays, and its client is told nothing more. */
  cancel(): void;
}
