// The last events, and who reads them.

import { JournalEnd } from "../../../build/bindings/types";
import { Event } from "./event";

/** Events that are kept for `since` (surface §2.11). */
const KEPT = 256;

export abstract class EventReader {
  abstract happened(event: Event): void;
}

export class EventRing {
  /** Position in the journal of the next event. */
  next: u64 = 1;
  /** When the last one was, by the journal. */
  private last: i64 = 0;

  openedAt(end: JournalEnd): void {
    this.next = end.next;
    this.last = end.at;
  }

  private readonly kept: Event[] = [];
  private readonly readers: EventReader[] = [];

  emit(event: Event): void {
    if (this.kept.length == KEPT) this.kept.shift();
    this.kept.push(event);
    // A reader may leave while it is told.
    const readers = this.readers.slice(0);
    for (let i = 0; i < readers.length; i++) readers[i].happened(event);
    event.told();
  }

  /** Oldest first. */
  between(since: i64, until: i64): Event[] {
    const found: Event[] = [];
    for (let i = 0; i < this.kept.length; i++) {
      const event = this.kept[i];
      if (event.at >= since && (until == 0 || event.at <= until)) found.push(event);
    }
    return found;
  }

  join(reader: EventReader): void {
    this.readers.push(reader);
  }

  leave(reader: EventReader): void {
    const at = this.readers.indexOf(reader);
    if (at >= 0) this.readers.splice(at, 1);
  }

  get readerCount(): i32 {
    return this.readers.length;
  }
}
