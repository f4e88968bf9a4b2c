// A page of the journal that is being read, for all readers who have come to the same place meanwhile.

import {
  Failure,
  JournalEntry,
  JournalPage,
  JournalReading,
  JournalStart,
  JournalStartPosition,
  JournalStartTime,
  Outcome,
  OutcomeJournal,
} from "../../../build/bindings/types";
import { readJournal } from "../ask";
import { engine } from "../state";
import { Task } from "../task";

/** Bytes of entries that are read at a time. */
export const PAGE: u32 = 128 * 1024;

export abstract class PageReader {
  /** `next`: where the journal ended when it was asked for. */
  abstract read(page: JournalPage, next: u64): void;
  abstract unreadable(message: string): void;
}

export class PageReads {
  private readonly underWay: PageRead[] = [];
  /** Of the last page that was read from a moment on: the moment, its first position, where the journal ended. */
  private firstSince: i64 = 0;
  private firstPosition: u64 = 0;
  private firstNext: u64 = 0;

  /** From a position on; if that is 0, from a moment on. */
  ask(reader: PageReader, position: u64, since: i64): void {
    for (let i = 0; i < this.underWay.length; i++) {
      const read = this.underWay[i];
      if (read.position == position && read.since == since && read.next == engine.events.next) {
        read.readers.push(reader);
        return;
      }
    }
    const read = new PageRead(position, since, engine.events.next);
    read.readers.push(reader);
    this.underWay.push(read);
    const start: JournalStart = position > 0 ? new JournalStartPosition(position) : new JournalStartTime(since);
    readJournal(read, 0, new JournalReading(start, PAGE));
  }

  /** Position of the first event from a moment on; 0: it must be read. Nothing goes from the journal while nothing comes. */
  first(since: i64): u64 {
    return this.firstNext == engine.events.next && this.firstSince == since ? this.firstPosition : 0;
  }

  found(read: PageRead, page: JournalPage): void {
    if (read.position > 0 || page.entries.length == 0) return;
    this.firstSince = read.since;
    this.firstPosition = page.entries[0].position;
    this.firstNext = read.next;
  }

  over(read: PageRead): void {
    this.underWay.splice(this.underWay.indexOf(read), 1);
  }
}

export class PageRead extends Task {
  readonly readers: PageReader[] = [];

  constructor(
    readonly position: u64,
    readonly since: i64,
    readonly next: u64,
  ) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    const pages = engine.events.pages;
    pages.over(this);
    if (failure !== null) {
      for (let i = 0; i < this.readers.length; i++) this.readers[i].unreadable(failure.message);
      return;
    }
    const page = (<OutcomeJournal>outcome!).value;
    pages.found(this, page);
    for (let i = 0; i < this.readers.length; i++) this.readers[i].read(page, this.next);
  }
}

/** Entries that one reader has still to look at; they may be another's, too. */
export class Entries {
  private at: i32 = 0;

  constructor(private readonly entries: JournalEntry[]) {}

  /** Null: none is left. */
  first(): JournalEntry | null {
    return this.at < this.entries.length ? this.entries[this.at] : null;
  }

  shift(): void {
    this.at += 1;
  }

  /** A single one may be larger than a page. */
  get large(): bool {
    const first = this.first();
    return first !== null && <u32>first.bytes.length > PAGE;
  }
}
