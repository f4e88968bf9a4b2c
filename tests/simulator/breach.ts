// Something that must hold does not.

export class Breach extends Error {
  /** `rule`: the file of the invariant, for people and for the search of a shorter story: that must break the same. */
  constructor(
    readonly rule: string,
    message: string,
  ) {
    super(message);
    this.name = "Breach";
  }
}
