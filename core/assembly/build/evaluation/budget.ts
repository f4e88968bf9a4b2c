// How long all substituted texts of a build may be together: `ENV a=$a$a` doubles a value with each line.

/** In UTF-16 units. */
export const MAX_EXPANDED: i32 = 4 * 1024 * 1024;

export class Budget {
  private left: i32;

  constructor(readonly most: i32 = MAX_EXPANDED) {
    this.left = most;
  }

  /** Whether there was enough left. */
  spend(units: i32): bool {
    this.left = units > this.left ? -1 : this.left - units;
    return this.left >= 0;
  }

  get isSpent(): bool {
    return this.left < 0;
  }

  /** The sentence for a budget that is spent. */
  get problem(): string {
    return `the values of variables are longer than ${this.most.toString()} characters together`;
  }
}
