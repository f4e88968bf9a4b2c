// Whether it is time to look what may go of the builder's cache: no build is under way, and the cache has changed. BuildKit
// waits for this, too.

class Due {
  private builds: i32 = 0;
  /** After a restart the cache may have other limits. */
  private isChanged: bool = true;

  get hasBuilds(): bool {
    return this.builds > 0;
  }

  buildBegun(): void {
    this.builds += 1;
  }

  buildOver(): void {
    this.builds -= 1;
    this.isChanged = true;
  }

  /** Something is larger than it was, or nobody needs it any more. */
  changed(): void {
    this.isChanged = true;
  }

  /** Whether it is time. It is told once. */
  take(): bool {
    if (!this.isChanged || this.hasBuilds) return false;
    this.isChanged = false;
    return true;
  }
}

export const due: Due = new Due();
