// One reader of events: a cursor in the journal. What is not kept in memory any more is read page by page, as fast as the
// client reads; what is comes from there, without a gap and nothing twice, since both count by the same positions. A large
// event is sent piece by piece, and one step sends only so much, to however many readers.

import { Closing, Failure, Outcome } from "../../../build/bindings/types";
import { Filters } from "../api/filters";
import { JSON_SEQUENCE } from "../api/json-streams";
import { cancelTimer, wakeAfter } from "../ask";
import { Call, Follower } from "../call";
import { tellSkipped } from "../records/found";
import { commonHeaders, endReply, openReply, sendChunk } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { NO_TIME } from "../text/time";
import { Entry, PIECE } from "./entry";
import { writeEntry } from "./entry-form";
import { Event } from "./event";
import { Line, lineOf, Place, sharedLineOf } from "./line";
import { eventMatches } from "./match";
import { Entries, Page } from "./page";
import { EventReader, eventRing } from "./ring";

/** A reader that has this much unread is sent nothing more until it has read. */
const CREDIT: u32 = 1 << 20;
/** The same in the midst of a large event: who reads it does so by pieces anyway. */
const LARGE_CREDIT: u32 = 256 * 1024;
/** Then it is sent more when so much is unread: for every piece the event may have to be fetched. */
const LARGE_LEFT: u32 = 64 * 1024;
/** What it costs to look at an event, and at one value of a filter, against a byte that is sent. */
const LOOK: i32 = 128;
const LOOK_FOR: i32 = 32;

/** Which events somebody wants: nanoseconds since 1970, both inclusive; `NO_TIME` for any. */
export class Wish {
  /** What it costs to look at an event, as bytes that are sent. */
  readonly cost: i32;

  constructor(
    readonly filters: Filters,
    readonly since: i64,
    readonly until: i64,
  ) {
    let values = 0;
    for (let i = 0; i < filters.keys.length; i++) values += filters.values(filters.keys[i]).length;
    this.cost = LOOK + LOOK_FOR * values;
  }

  takes(at: i64): bool {
    return (this.since == NO_TIME || at >= this.since) && (this.until == NO_TIME || at <= this.until);
  }
}

const NO_ENTRIES = new Entries(null);

export class Reading extends EventReader {
  /** Position of the next event to look at; 0: the first one from `since` on, which the journal knows. */
  private cursor: u64 = 0;
  /** Ends before this position; 0: not yet. */
  private end: u64 = 0;
  private page: Entries = NO_ENTRIES;
  /** In the line of the event at the cursor. */
  private place: Place = new Place();
  private asks: bool = false;
  private over: bool = false;
  private unread: u32 = 0;
  /** It is to read before it is sent more. */
  private full: bool = false;
  private timer: ReadingEnd | null = null;

  constructor(
    readonly call: Call,
    private readonly wish: Wish,
    /** Content-Type. */
    private readonly type: string,
  ) {
    super();
  }

  /** At a position, or if that is 0, at the moment that is wished for. */
  begin(cursor: u64): void {
    openReply(this.call, 200, `${commonHeaders.all}\nContent-Type: ${this.type}`, new ReaderGone(this));
    this.cursor = cursor > 0 ? cursor : eventRing.since(this.wish.since);
    if (this.cursor == 0) this.cursor = eventRing.pages.first(this.wish.since);
    const until = this.wish.until;
    if (until != NO_TIME) {
      if (until <= engine.now.wall) this.end = eventRing.next;
      else this.wait(<u64>(until - engine.now.wall));
    }
    eventRing.join(this);
    this.happened();
  }

  private wait(delay: u64): void {
    const timer = new ReadingEnd(this);
    timer.at(delay);
    this.timer = timer;
  }

  get gone(): bool {
    return this.over;
  }

  /** Goes on as far as it can in this step. */
  happened(): void {
    if (this.waits) return;
    while (!this.over && !this.asks && this.hasCredit()) {
      if (this.end > 0 && this.cursor >= this.end && !this.place.begun) return this.finish();
      if (this.cursor == eventRing.next) return;
      if (eventRing.moment.spent) return eventRing.later(this);
      if (!this.step()) return this.ask();
    }
    // Until it has read, others would be kept for nothing.
    if (this.page.large) this.page = NO_ENTRIES;
  }

  private hasCredit(): bool {
    const amidst = this.place.begun;
    if (this.unread > (amidst ? LARGE_CREDIT : CREDIT)) this.full = true;
    else if (!amidst || this.unread <= LARGE_LEFT) this.full = false;
    return !this.full;
  }

  /** One event or one piece further; false if what comes next must be read. */
  private step(): bool {
    const events = eventRing;
    const kept = events.at(this.cursor);
    if (kept !== null) {
      this.page = NO_ENTRIES;
      this.show(kept, true);
      return true;
    }
    const large = events.large.find(this.cursor);
    if (large === null) return this.stepInPage();
    this.show(large, false);
    return true;
  }

  private stepInPage(): bool {
    const position = this.page.position;
    if (position == 0) return false;
    // What is missing between two that are read at once is lost, too.
    if (position > this.cursor) {
      this.skipTo(this.end > 0 ? min(position, this.end) : position);
      return true;
    }
    const entry = this.page.entry;
    if (entry === null) this.skip(position);
    else this.show(entry, false);
    return true;
  }

  /** Behind the event at the cursor. */
  private next(): void {
    this.cursor += 1;
    if (this.place.begun) this.place = new Place();
    const position = this.page.position;
    if (position > 0 && position < this.cursor) this.page.shift();
  }

  private skip(position: u64): void {
    tellSkipped(`event ${position.toString()}`, "it has a form that this engine does not know");
    this.next();
    this.lost(1, "");
  }

  private ask(): void {
    this.asks = true;
    eventRing.pages.ask(this, this.cursor, this.cursor > 0 ? 0 : this.wish.since);
  }

  read(page: Page, next: u64): void {
    this.asks = false;
    if (this.over) return;
    const first = page.length > 0 ? page.positionOf(0) : 0;
    if (this.cursor == 0) this.cursor = first > 0 ? first : next;
    else this.skipTo(first > 0 ? first : page.oldest);
    if (this.over) return;
    this.page = new Entries(page);
    const stuck = first == 0 && this.cursor < eventRing.oldest;
    if (stuck) this.unreadable("the journal has a gap");
    else this.happened();
  }

  /** What cannot be read is passed over, as if it had been taken away. */
  unreadable(message: string): void {
    this.asks = false;
    if (this.over) return;
    if (this.place.begun) return this.finish();
    const oldest = eventRing.oldest;
    if (this.cursor > 0) this.lost(oldest - this.cursor, message);
    else this.lost(0, message);
    this.cursor = oldest;
    this.happened();
  }

  drained(bytes: u32): void {
    this.unread = bytes > this.unread ? 0 : this.unread - bytes;
    this.happened();
  }

  /** `until` has come. */
  stop(): void {
    this.end = eventRing.next;
    this.happened();
  }

  leave(): void {
    this.over = true;
    const timer = this.timer;
    if (timer !== null) timer.forget();
    eventRing.leave(this);
  }

  private finish(): void {
    this.leave();
    endReply(this.call);
  }

  /** The journal is not as long as this reader has let itself time. What it has half of it never gets the rest of. */
  private skipTo(position: u64): void {
    if (position <= this.cursor) return;
    if (this.place.begun) return this.finish();
    this.lost(position - this.cursor, "");
    this.cursor = position;
  }

  /** `shared`: others may be told the same. */
  private show(entry: Entry, shared: bool): void {
    if (this.place.begun) return this.sendPiece(entry);
    const wish = this.wish;
    eventRing.moment.spend(wish.cost);
    if (!wish.takes(entry.at) || !eventMatches(entry, wish.filters)) return this.next();
    if (entry.large) return this.sendPiece(entry);
    const line = shared ? sharedLineOf(entry, this.call.version) : lineOf(entry, this.call.version);
    this.next();
    this.send(line, true);
  }

  private sendPiece(entry: Entry): void {
    const begins = !this.place.begun;
    const line = new Line(entry, this.call.version);
    const piece = line.write(this.place, PIECE);
    if (line.endsAt(this.place)) this.next();
    this.send(piece, begins);
  }

  /** Whatever its filters are: what is lost may have been what it waits for. */
  private lost(events: u64, message: string): void {
    const event = new Event("daemon", "events-lost", engine.id, engine.now.wall);
    event.with("coracle.lost", events.toString()).with("name", engine.options.machine.name);
    if (message.length > 0) event.with("coracle.error", message);
    this.send(lineOf(new Entry(writeEntry(event)), this.call.version), true);
  }

  private send(bytes: Uint8Array, begins: bool): void {
    this.unread += <u32>bytes.length;
    eventRing.moment.spend(bytes.length);
    sendChunk(this.call, begins && this.type == JSON_SEQUENCE ? withSeparator(bytes) : bytes);
  }
}

class ReaderGone extends Follower {
  constructor(private readonly reading: Reading) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.reading.leave();
  }

  drained(_call: Call, bytes: u32): void {
    this.reading.drained(bytes);
  }
}

/** `until` has come. */
class ReadingEnd extends Task {
  private timer: u64 = 0;

  constructor(private readonly reading: Reading) {
    super();
  }

  at(delay: u64): void {
    this.timer = wakeAfter(this, 0, delay);
  }

  forget(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
  }

  ended(_step: i32, _outcome: Outcome | null, _failure: Failure | null): void {}

  elapsed(_step: i32): void {
    this.timer = 0;
    this.reading.stop();
  }
}

/** RFC 7464: a record begins with the byte 0x1E. */
function withSeparator(line: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(line.length + 1);
  bytes[0] = 0x1e;
  bytes.set(line, 1);
  return bytes;
}
