// Events as they happen: each gets its number in the journal, is kept in
// memory for a while, is sent to readers, and is written to the journal.
//
// An event is part of its step's transaction, whether or not there are readers. So the journal has an event for
// everything that was done or that a client was told, and no event without its cause.

import { Failure, JournalEnd, JournalEntry, Outcome } from "../../../build/bindings/types";
import { appendJournal, wakeAfter } from "../ask";
import { acting, Origin, productsOf } from "../origin";
import { Task } from "../task";
import { Entry } from "./entry";
import { writeEntry } from "./entry-form";
import { Event } from "./event";
import { JournalPosition } from "./journal-position";
import { LargeEntries } from "./large-entries";
import { PageReader, PageReads } from "./page-read";
import { ReaderThrottle } from "./reader-throttle";

/** Number of events kept in memory (surface §2.11: these are what `until` alone shows). */
export const KEPT: u64 = 256;

/** Their size limit in bytes: large events are read from the journal again. */
const KEPT_BYTES: i32 = 1 << 20;

export abstract class EventReader extends PageReader {
  /** The reader gets its turn later. */
  waits: bool = false;

  /** There is a new event, or the reader may continue. */
  abstract happened(): void;
}

class Kept {
  constructor(
    readonly entry: Entry,
    /** Its time in the journal: never earlier than that of the event before it. */
    readonly stamp: i64,
  ) {}
}

export class EventRing {
  private readonly position: JournalPosition;
  /** Time of the last event in the journal; it never goes back. */
  private last: i64 = 0;
  private readonly kept: Kept[] = [];
  private keptBytes: i32 = 0;
  private readonly readers: EventReader[] = [];
  /** Readers that continue in another step. */
  private waiting: EventReader[] = [];
  /** That step has been scheduled. */
  private turnIsSet: bool = false;
  readonly throttle: ReaderThrottle = new ReaderThrottle();
  readonly large: LargeEntries;
  readonly pages: PageReads;
  /** Number of the newest events that are not in the journal yet: those of this step. */
  private unwritten: i32 = 0;

  constructor() {
    const position = new JournalPosition();
    const large = new LargeEntries();
    this.position = position;
    this.large = large;
    this.pages = new PageReads(position, large);
  }

  /** Journal position of the next event. */
  get next(): u64 {
    return this.position.next;
  }

  openedAt(end: JournalEnd): void {
    this.position.next = end.next;
    this.last = end.at;
  }

  emit(event: Event): void {
    sign(event, acting.origin);
    const entry = new Entry(writeEntry(event));
    this.last = max(this.last, event.at);
    if (<u64>this.kept.length == KEPT) this.dropOldest();
    this.kept.push(new Kept(entry, this.last));
    this.keptBytes += entry.size;
    this.position.next += 1;
    this.unwritten += 1;
    if (<u64>this.unwritten == KEPT) this.write();
    this.tell(entry);
  }

  private tell(entry: Entry): void {
    // A reader may leave during the loop.
    const readers = this.readers.slice(0);
    if (entry.large && readers.length > 0) this.large.keep(this.next - 1, entry);
    for (let i = 0; i < readers.length; i++) readers[i].happened();
    entry.told();
  }

  private dropOldest(): void {
    this.keptBytes -= this.kept.shift().entry.size;
  }

  /** Writes the step's events to the journal. */
  write(): void {
    for (let i = this.kept.length - this.unwritten; i < this.kept.length; i++) {
      const kept = this.kept[i];
      appendJournal(new JournalEntry(this.oldest + <u64>i, kept.stamp, kept.entry.bytes));
    }
    this.unwritten = 0;
    while (this.keptBytes > KEPT_BYTES) this.dropOldest();
  }

  /** The reader continues when the engine is idle, after the readers that wait already. */
  later(reader: EventReader): void {
    if (reader.waits) return;
    reader.waits = true;
    this.waiting.push(reader);
    this.setTurn();
  }

  private setTurn(): void {
    if (this.turnIsSet) return;
    this.turnIsSet = true;
    wakeAfter(new Turn(), 0, this.throttle.untilTurn);
  }

  /** The waiting readers get their turn: as many as one step can serve. */
  goOn(): void {
    this.throttle.turn();
    const waiting = this.waiting;
    let served = 0;
    for (; served < waiting.length && !this.throttle.spent; served++) {
      waiting[served].waits = false;
      waiting[served].happened();
    }
    this.waiting = waiting.slice(served);
    this.turnIsSet = false;
    if (this.waiting.length > 0) this.setTurn();
  }

  /** Position of the oldest event in memory; `next` if there is none. */
  get oldest(): u64 {
    return this.next - <u64>this.kept.length;
  }

  /** Null if the event is not in memory. */
  at(position: u64): Entry | null {
    const oldest = this.oldest;
    return position < oldest || position >= this.next ? null : this.kept[<i32>(position - oldest)].entry;
  }

  /** Position of the first event at or after a time; 0 if that event may not be in memory. */
  since(moment: i64): u64 {
    const kept = this.kept;
    if (kept.length == 0) return this.next == 1 || moment > this.last ? this.next : 0;
    if (this.oldest > 1 && kept[0].stamp >= moment) return 0;
    for (let i = 0; i < kept.length; i++) if (kept[i].stamp >= moment) return this.oldest + <u64>i;
    return this.next;
  }

  join(reader: EventReader): void {
    this.readers.push(reader);
  }

  leave(reader: EventReader): void {
    const at = this.readers.indexOf(reader);
    if (at >= 0) this.readers.splice(at, 1);
    if (this.readers.length == 0) this.large.clear();
  }

  get readerCount(): i32 {
    return this.readers.length;
  }
}

/** The timer for readers that had to wait. */
class Turn extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    eventRing.goOn();
  }
}

/** Adds who asked for the change, and why. These attributes take precedence over labels of the actor. */
function sign(event: Event, origin: Origin): void {
  const asker = origin.asker;
  if (asker !== null && asker.hasPeer) {
    event.with("coracle.peer.pid", asker.pid.toString()).with("coracle.peer.uid", asker.uid.toString());
  }
  const products = asker === null ? "" : productsOf(asker.agent);
  if (products.length > 0) event.with("coracle.user-agent", products);
  event.with("coracle.why", origin.why);
}

export const eventRing: EventRing = new EventRing();
