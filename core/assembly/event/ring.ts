// Events as they happen: numbered for the journal, kept for a while for those who read, told to them, and written down.
//
// An event is kept in its step's transaction, whoever asked and whether anybody reads: what was done and what a client was
// told is found in the journal again, and nothing there without what led to it.

import { JournalEnd, JournalEntry } from "../../../build/bindings/types";
import { appendJournal } from "../ask";
import { acting, Origin, productsOf } from "../origin";
import { writeEntry } from "./entry";
import { Event } from "./event";

/** Events that are kept for readers (surface §2.11: they are what `until` alone shows). */
export const KEPT: u64 = 256;

export abstract class EventReader {
  /** There is one more. */
  abstract happened(): void;
}

export class EventRing {
  /** Position in the journal of the next event. */
  next: u64 = 1;
  /** When the last one was, by the journal, whose time never goes back. */
  private last: i64 = 0;
  private readonly kept: Event[] = [];
  private readonly readers: EventReader[] = [];
  /** The newest so many are not written down yet: those of this step. */
  private unwritten: i32 = 0;

  openedAt(end: JournalEnd): void {
    this.next = end.next;
    this.last = end.at;
  }

  emit(event: Event): void {
    sign(event, acting.origin);
    this.last = max(this.last, event.at);
    event.stamp = this.last;
    if (<u64>this.kept.length == KEPT) this.kept.shift();
    this.kept.push(event);
    this.next += 1;
    this.unwritten += 1;
    if (<u64>this.unwritten == KEPT) this.write();
    // A reader may leave while it is told.
    const readers = this.readers.slice(0);
    for (let i = 0; i < readers.length; i++) readers[i].happened();
    event.told();
  }

  /** Those of this step go to the journal. */
  write(): void {
    for (let i = this.kept.length - this.unwritten; i < this.kept.length; i++) {
      const event = this.kept[i];
      appendJournal(new JournalEntry(this.oldest + <u64>i, event.stamp, writeEntry(event)));
    }
    this.unwritten = 0;
  }

  /** Position of the oldest event that is kept here; `next` if none is. */
  get oldest(): u64 {
    return this.next - <u64>this.kept.length;
  }

  /** Null: it is not kept here. */
  at(position: u64): Event | null {
    const oldest = this.oldest;
    return position < oldest || position >= this.next ? null : this.kept[<i32>(position - oldest)];
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
  }

  get readerCount(): i32 {
    return this.readers.length;
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
