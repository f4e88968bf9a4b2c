// Why records could not be written. The reason goes to the log, because the instance of the core that wrote them is gone.

export const NO_SPACE = "no space left on device";

/** A transaction that failed. */
export class Unwritten extends Error {
  constructor(why: string) {
    super(`write records: ${why}`);
  }
}
