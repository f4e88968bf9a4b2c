// Events as they happen: numbered for the journal, kept for a while for those who read, told to them, and written down.
//
// An event is kept in its step's transaction, whoever asked and whether anybody reads: what was done and what a client was
// told is found in the journal again, and nothing there without what led to it.

import { Failure, JournalEnd, JournalEntry, Outcome } from "../../../build/bindings/types";
import { appendJournal, wakeAfter } from "../ask";
import { acting, Origin, productsOf } from "../origin";
import { Task } from "../task";
import { Entry } from "./entry";
import { writeEntry } from "./entry-form";
import { Event } from "./event";
import { JournalPosition } from "./journal-position";
import { LargeEntries } from "./large-entries";
import { Moment } from "./moment";
import { PageReader, PageReads } from "./page-read";

/** Events that are kept for readers (surface §2.11: they are what `until` alone shows). */
export const KEPT: u64 = 256;

/** Bytes of them: large ones are read from the journal again. */
const KEPT_BYTES: i32 = 1 << 20;

export abstract class EventReader extends PageReader {
  /** It has its turn later. */
  waits: bool = false;

  /** There is one more, or it may go on. */
  abstract happened(): void;
}

class Kept {
  constructor(
    readonly entry: Entry,
    /** Its time in the journal: never before the event before it. */
    readonly stamp: i64,
  ) {}
}

export class EventRing {
  private readonly position: JournalPosition;
  /** When the last one was, by the journal, whose time never goes back. */
  private last: i64 = 0;
  private readonly kept: Kept[] = [];
  private keptBytes: i32 = 0;
  private readonly readers: EventReader[] = [];
  /** They go on in another step. */
  private waiting: EventReader[] = [];
  /** That step is to come. */
  private turnIsSet: bool = false;
  readonly moment: Moment = new Moment();
  readonly large: LargeEntries;
  readonly pages: PageReads;
  /** The newest so many are not written down yet: those of this step. */
  private unwritten: i32 = 0;

  constructor() {
    const position = new JournalPosition();
    const large = new LargeEntries();
    this.position = position;
    this.large = large;
    this.pages = new PageReads(position, large);
  }

  /** Position in the journal of the next event. */
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
    // A reader may leave while it is told.
    const readers = this.readers.slice(0);
    if (entry.large && readers.length > 0) this.large.keep(this.next - 1, entry);
    for (let i = 0; i < readers.length; i++) readers[i].happened();
    entry.told();
  }

  private dropOldest(): void {
    this.keptBytes -= this.kept.shift().entry.size;
  }

  /** Those of this step go to the journal. */
  write(): void {
    for (let i = this.kept.length - this.unwritten; i < this.kept.length; i++) {
      const kept = this.kept[i];
      appendJournal(new JournalEntry(this.oldest + <u64>i, kept.stamp, kept.entry.bytes));
    }
    this.unwritten = 0;
    while (this.keptBytes > KEPT_BYTES) this.dropOldest();
  }

  /** The reader goes on as soon as the engine has nothing else to do, behind those who wait already. */
  later(reader: EventReader): void {
    if (reader.waits) return;
    reader.waits = true;
    this.waiting.push(reader);
    this.setTurn();
  }

  private setTurn(): void {
    if (this.turnIsSet) return;
    this.turnIsSet = true;
    wakeAfter(new Turn(), 0, this.moment.untilTurn);
  }

  /** Their turn has come: of as many as one step can serve. */
  goOn(): void {
    this.moment.turn();
    const waiting = this.waiting;
    let served = 0;
    for (; served < waiting.length && !this.moment.spent; served++) {
      waiting[served].waits = false;
      waiting[served].happened();
    }
    this.waiting = waiting.slice(served);
    this.turnIsSet = false;
    if (this.waiting.length > 0) this.setTurn();
  }

  /** Position of the oldest event that is kept here; `next` if none is. */
  get oldest(): u64 {
    return this.next - <u64>this.kept.length;
  }

  /** Null: it is not kept here. */
  at(position: u64): Entry | null {
    const oldest = this.oldest;
    return position < oldest || position >= this.next ? null : this.kept[<i32>(position - oldest)].entry;
  }

  /** Position of the first event that is not before a moment; 0 if that may be one that is not kept here. */
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

/** Of readers who had to wait. */
class Turn extends Task {
  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    eventRing.goOn();
  }
}

/** Says who asked for it, and why: attributes of ours, which no label of the actor's can have in their place. */
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
