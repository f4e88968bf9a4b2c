// A page of the journal, parsed once for all its readers.

import { JournalPage } from "../../../build/bindings/types";
import { Entry } from "./entry";

export class Page {
  private readonly positions: StaticArray<u64>;
  private readonly entries: StaticArray<Entry | null>;
  /** The oldest position in the journal. */
  readonly oldest: u64;

  constructor(found: JournalPage) {
    const entries = found.entries;
    this.oldest = found.oldest;
    this.positions = new StaticArray<u64>(entries.length);
    this.entries = new StaticArray<Entry | null>(entries.length);
    for (let i = 0; i < entries.length; i++) {
      this.positions[i] = entries[i].position;
      this.entries[i] = Entry.of(entries[i].bytes);
    }
  }

  get length(): i32 {
    return this.entries.length;
  }

  positionOf(at: i32): u64 {
    return this.positions[at];
  }

  /** Null if there is no such entry, or its format is unknown. */
  entryOf(at: i32): Entry | null {
    return at < this.entries.length ? this.entries[at] : null;
  }
}

/** The rest of a page for one reader. */
export class Entries {
  private at: i32 = 0;

  constructor(private readonly page: Page | null) {}

  /** 0 if no entry is left. */
  get position(): u64 {
    const page = this.page;
    return page !== null && this.at < page.length ? page.positionOf(this.at) : 0;
  }

  get entry(): Entry | null {
    const page = this.page;
    return page === null ? null : page.entryOf(this.at);
  }

  shift(): void {
    this.at += 1;
  }

  /** The next entry is sent in pieces. */
  get large(): bool {
    const entry = this.entry;
    return entry !== null && entry.large;
  }
}
