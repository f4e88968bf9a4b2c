// Why records could not be written. The instance of the core that wrote them is gone, so the host tells the reason: in the
// log, and to clients whose requests were lost with the instance.

export const NO_SPACE = "no space left on device";

/** A transaction that failed. */
export class Unwritten extends Error {
  constructor(why: string) {
    super(`write records: ${why}`);
  }
}
