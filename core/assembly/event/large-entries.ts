// A cache of large events that are being read. Several clients may read the same event, and one client reads it in
// pieces: the journal need not be read for each piece.

import { Entry } from "./entry";

/** Size of the cache in bytes; the entry used last stays, however large it is. */
const KEPT_BYTES: i32 = 8 << 20;

class Kept {
  constructor(
    readonly position: u64,
    readonly entry: Entry,
  ) {}
}

export class LargeEntries {
  /** Sorted by last use. */
  private kept: Kept[] = [];
  private bytes: i32 = 0;

  find(position: u64): Entry | null {
    const kept = this.kept;
    for (let i = kept.length - 1; i >= 0; i--) {
      if (kept[i].position != position) continue;
      const found = kept[i];
      if (i < kept.length - 1) kept.push(kept.splice(i, 1)[0]);
      return found.entry;
    }
    return null;
  }

  keep(position: u64, entry: Entry): void {
    if (this.find(position) !== null) return;
    this.kept.push(new Kept(position, entry));
    this.bytes += entry.size;
    while (this.bytes > KEPT_BYTES && this.kept.length > 1) this.bytes -= this.kept.shift().entry.size;
  }

  /** There are no readers left. */
  clear(): void {
    this.kept = [];
    this.bytes = 0;
  }
}
