// The error for a violated invariant.

export class Breach extends Error {
  /** `rule`: the file of the invariant. People read it, and a shorter story must break the same rule. */
  constructor(
    readonly rule: string,
    message: string,
  ) {
    super(message);
    this.name = "Breach";
  }
}
