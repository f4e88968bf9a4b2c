// How long all substituted texts of a build may be together: `ENV a=$a$a` doubles a value with each line.

/** In UTF-16 units. */
export const MAX_EXPANDED: i32 = 4 * 1024 * 1024;

/** Steps of comparing values with patterns: of one substitution, and of all of a build together. */
const MAX_WORK: i64 = 16 * 1024 * 1024;
const MAX_WORK_TOGETHER: i64 = 8 * MAX_WORK;

export class Budget {
  private left: i32;
  private workLeft: i64 = MAX_WORK_TOGETHER;

  constructor(readonly most: i32 = MAX_EXPANDED) {
    this.left = most;
  }

  /** Whether there was enough left. */
  spend(units: i32): bool {
    this.left = units > this.left ? -1 : this.left - units;
    return this.left >= 0;
  }

  /** Whether there is enough left for these steps. */
  work(steps: i64): bool {
    this.workLeft -= min(steps, MAX_WORK_TOGETHER);
    return steps <= MAX_WORK && this.workLeft >= 0;
  }

  get isSpent(): bool {
    return this.left < 0;
  }

  /** The sentence for a budget that is spent. */
  get problem(): string {
    return `the values of variables are longer than ${this.most.toString()} characters together`;
  }
}
