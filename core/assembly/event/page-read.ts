// Reads pages of the journal, one at a time. All readers that are at the same place share a page, so memory use stays
// small however many readers there are. Pages are read from the oldest to the newest, then from the oldest again:
// readers that began one after the other soon share their pages, and none waits for long.

import {
  Failure,
  JournalPage,
  JournalReading,
  JournalStart,
  JournalStartPosition,
  JournalStartTime,
  Outcome,
  OutcomeJournal,
} from "../../../build/bindings/types";
import { readJournal } from "../ask";
import { failureText } from "../failure/text";
import { Task } from "../task";
import { JournalPosition } from "./journal-position";
import { LargeEntries } from "./large-entries";
import { Page } from "./page";

/** Bytes of entries in one page; a single entry may be larger. */
const PAGE: u32 = 128 * 1024;

export abstract class PageReader {
  /** `next`: the end of the journal when the page was requested. */
  abstract read(page: Page, next: u64): void;
  abstract unreadable(message: string): void;
  /** The reader has stopped reading. */
  abstract get gone(): bool;
}

export class PageReads {
  private underWay: PageRead | null = null;
  private readonly waiting: PageRead[] = [];
  /** Start position of the last read. */
  private last: u64 = 0;
  /** About the last read by time: the time, the first position found, and the end of the journal then. */
  private firstSince: i64 = 0;
  private firstPosition: u64 = 0;
  private firstNext: u64 = 0;

  constructor(
    readonly journal: JournalPosition,
    readonly large: LargeEntries,
  ) {}

  /** Asks for a page from a position on; if that is 0, from a time on. */
  ask(reader: PageReader, position: u64, since: i64): void {
    const same = this.alike(position, since);
    if (same !== null) {
      same.readers.push(reader);
      return;
    }
    const read = new PageRead(this, position, since);
    read.readers.push(reader);
    this.waiting.push(read);
    this.goOn();
  }

  /** An equal read that has not begun, or that will return everything there is now. */
  private alike(position: u64, since: i64): PageRead | null {
    const read = this.underWay;
    if (read !== null && read.isOf(position, since) && read.next == this.journal.next) return read;
    for (let i = 0; i < this.waiting.length; i++) if (this.waiting[i].isOf(position, since)) return this.waiting[i];
    return null;
  }

  private goOn(): void {
    while (this.waiting.length > 0 && this.underWay === null) {
      const read = this.waiting.splice(this.nearest(), 1)[0];
      if (!read.wanted) continue;
      this.underWay = read;
      this.last = read.position;
      read.begin();
    }
  }

  /** Of the waiting reads, the next one after the last position; else the oldest. */
  private nearest(): i32 {
    let best = 0;
    for (let i = 1; i < this.waiting.length; i++) {
      if (this.distanceTo(i) < this.distanceTo(best)) best = i;
    }
    return best;
  }

  /** Distance modulo 2^64: a position before the last one is further away than any after it. */
  private distanceTo(waiting: i32): u64 {
    return this.waiting[waiting].position - this.last;
  }

  /**
   * Position of the first event from a time on, if known from the last read;
   * 0 if it has to be read. Events leave the journal only when new ones come.
   */
  first(since: i64): u64 {
    return this.firstNext == this.journal.next && this.firstSince == since ? this.firstPosition : 0;
  }

  found(read: PageRead, page: Page): void {
    if (read.position > 0 || page.length == 0) return;
    this.firstSince = read.since;
    this.firstPosition = page.positionOf(0);
    this.firstNext = read.next;
  }

  over(): void {
    this.underWay = null;
    this.goOn();
  }
}

export class PageRead extends Task {
  readonly readers: PageReader[] = [];
  /** The end of the journal when the read began. */
  next: u64 = 0;

  constructor(
    private readonly reads: PageReads,
    readonly position: u64,
    readonly since: i64,
  ) {
    super();
  }

  isOf(position: u64, since: i64): bool {
    return this.position == position && this.since == since;
  }

  get wanted(): bool {
    for (let i = 0; i < this.readers.length; i++) if (!this.readers[i].gone) return true;
    return false;
  }

  begin(): void {
    this.next = this.reads.journal.next;
    const position = this.position;
    const start: JournalStart = position > 0 ? new JournalStartPosition(position) : new JournalStartTime(this.since);
    readJournal(this, 0, new JournalReading(start, PAGE));
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    this.reads.over();
    if (failure !== null) {
      for (let i = 0; i < this.readers.length; i++) this.readers[i].unreadable(failureText(failure));
      return;
    }
    this.tell((<OutcomeJournal>outcome!).value);
  }

  private tell(found: JournalPage): void {
    const page = new Page(found);
    this.reads.found(this, page);
    const first = page.entryOf(0);
    if (this.wanted && page.length == 1 && first !== null && first.large)
      this.reads.large.keep(page.positionOf(0), first);
    for (let i = 0; i < this.readers.length; i++) this.readers[i].read(page, this.next);
  }
}
