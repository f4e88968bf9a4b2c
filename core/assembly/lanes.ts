// Works through a list, a few items at a time, as prunes do.

/** Number of items in progress at a time. */
const LANES: i32 = 8;

export abstract class Lanes {
  private next: i32 = 0;
  private open: i32 = 0;
  private isTaking: bool = false;

  /** `count`: number of items. */
  constructor(private readonly count: i32) {}

  /** Begins an item, whose end `done` tells. False if there is nothing to do for it. */
  protected abstract take(index: i32): bool;

  /** All items have ended. */
  protected abstract close(): void;

  /** Thousands of items may end at once, so this is a loop, not a recursion. */
  run(): void {
    if (this.isTaking) return;
    this.isTaking = true;
    while (this.open < LANES && this.next < this.count) {
      this.open += 1;
      this.next += 1;
      if (!this.take(this.next - 1)) this.open -= 1;
    }
    this.isTaking = false;
    if (this.open == 0) this.close();
  }

  /** An item has ended. */
  done(): void {
    this.open -= 1;
    this.run();
  }
}
