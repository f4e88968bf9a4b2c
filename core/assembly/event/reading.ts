// One reader of events: a cursor in the journal. Events that are no longer in memory are read page by page, as fast as
// the client reads. Newer ones come from memory, without gaps or repetitions, since both use the same positions. Large
// events are sent in pieces, and the amount that one step sends is limited across all readers.

import { Closing, Failure, Outcome } from "../../../build/bindings/types";
import { JSON_SEQUENCE } from "../api/json-streams";
import { cancelTimer, wakeAfter } from "../ask";
import { Call, Follower } from "../call";
import { tellSkipped } from "../records/found";
import { endReply, headersOf, openReply, sendChunk } from "../reply";
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
import { WantedEvents } from "./wanted-events";

/** Bytes of unread data from which on a reader gets nothing more until it has read. */
const CREDIT: u32 = 1 << 20;
/** The same within a large event, which is sent in pieces anyway. */
const LARGE_CREDIT: u32 = 256 * 1024;
/** Then sending resumes at this many unread bytes, since the event may have to be fetched again for every piece. */
const LARGE_LEFT: u32 = 64 * 1024;
const NO_ENTRIES = new Entries(null);

export class Reading extends EventReader {
  /**
   * Position of the next event to look at; 0 stands for the first
   * one since `since`, which has to be read from the journal.
   */
  private cursor: u64 = 0;
  /** Position at which to end; 0 if it is not known yet. */
  private end: u64 = 0;
  private page: Entries = NO_ENTRIES;
  /** Progress in the line of the event at the cursor. */
  private place: Place = new Place();
  private asks: bool = false;
  private over: bool = false;
  private unread: u32 = 0;
  /** The client must read before more is sent. */
  private full: bool = false;
  private timer: ReadingEnd | null = null;

  constructor(
    readonly call: Call,
    private readonly wanted: WantedEvents,
    /** Content-Type. */
    private readonly type: string,
  ) {
    super();
  }

  /** Begins at a position; if that is 0, at the requested time. */
  begin(cursor: u64): void {
    openReply(this.call, 200, `${headersOf(this.call).all}\nContent-Type: ${this.type}`, new ReaderGone(this));
    this.cursor = cursor > 0 ? cursor : eventRing.since(this.wanted.since);
    if (this.cursor == 0) this.cursor = eventRing.pages.first(this.wanted.since);
    const until = this.wanted.until;
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

  /** Continues as far as possible in this step. */
  happened(): void {
    if (this.waits) return;
    while (!this.over && !this.asks && this.hasCredit()) {
      if (this.end > 0 && this.cursor >= this.end && !this.place.begun) return this.finish();
      if (this.cursor == eventRing.next) return;
      if (eventRing.throttle.spent) return eventRing.later(this);
      if (!this.step()) return this.ask();
    }
    // Until the client has read, the page's other entries would be kept in memory for nothing.
    if (this.page.large) this.page = NO_ENTRIES;
  }

  private hasCredit(): bool {
    const amidst = this.place.begun;
    if (this.unread > (amidst ? LARGE_CREDIT : CREDIT)) this.full = true;
    else if (!amidst || this.unread <= LARGE_LEFT) this.full = false;
    return !this.full;
  }

  /** Advances by one event or piece; false if a page has to be read first. */
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
    // Positions missing within a page are lost events, too.
    if (position > this.cursor) {
      this.skipTo(this.end > 0 ? min(position, this.end) : position);
      return true;
    }
    const entry = this.page.entry;
    if (entry === null) this.skip(position);
    else this.show(entry, false);
    return true;
  }

  /** Moves past the event at the cursor. */
  private next(): void {
    this.cursor += 1;
    if (this.place.begun) this.place = new Place();
    const position = this.page.position;
    if (position > 0 && position < this.cursor) this.page.shift();
  }

  private skip(position: u64): void {
    tellSkipped(`event ${position.toString()}`, "its format is unknown to this engine");
    this.next();
    this.lost(1, "");
  }

  private ask(): void {
    this.asks = true;
    eventRing.pages.ask(this, this.cursor, this.cursor > 0 ? 0 : this.wanted.since);
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

  /** An unreadable page is skipped, as if its events had been dropped from the journal. */
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

  /** The time `until` is reached. */
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

  /** The reader was slower than the journal drops events. If it has received half an event, it never gets the rest. */
  private skipTo(position: u64): void {
    if (position <= this.cursor) return;
    if (this.place.begun) return this.finish();
    this.lost(position - this.cursor, "");
    this.cursor = position;
  }

  /** `shared`: other readers may be sent the same line. */
  private show(entry: Entry, shared: bool): void {
    if (this.place.begun) return this.sendPiece(entry);
    const wanted = this.wanted;
    eventRing.throttle.spend(wanted.cost);
    if (!wanted.takes(entry.at) || !eventMatches(entry, wanted.filters)) return this.next();
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

  /** Sent whatever the filters are, since a lost event might have matched. */
  private lost(events: u64, message: string): void {
    const event = new Event("daemon", "events-lost", engine.id, engine.now.wall);
    event.with("coracle.lost", events.toString()).with("name", engine.options.machine.name);
    if (message.length > 0) event.with("coracle.error", message);
    this.send(lineOf(new Entry(writeEntry(event)), this.call.version), true);
  }

  private send(bytes: Uint8Array, begins: bool): void {
    this.unread += <u32>bytes.length;
    eventRing.throttle.spend(bytes.length);
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

/** Waits for the time `until`. */
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
