// One reader of events: a cursor in the journal. What is not kept in memory any more is read page by page, as fast as the
// client reads; what is comes from there, without a gap and nothing twice, since both count by the same positions.

import {
  Closing,
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
import { Filters } from "../api/filters";
import { JSON_SEQUENCE } from "../api/json-streams";
import { cancelTimer, readJournal, wakeAfter } from "../ask";
import { Call, Follower } from "../call";
import { tellSkipped } from "../records/found";
import { commonHeaders, endReply, openReply, sendChunk } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { NO_TIME } from "../text/time";
import { readEntry } from "./entry";
import { Event } from "./event";
import { eventMatches } from "./match";
import { EventReader } from "./ring";

/** A reader that has this much unread is sent nothing more until it has read. */
const CREDIT: u32 = 1 << 20;
/** Bytes of entries that are read at a time. */
const PAGE: u32 = 128 * 1024;

/** Which events somebody wants: nanoseconds since 1970, both inclusive; `NO_TIME` for any. */
export class Wish {
  constructor(
    readonly filters: Filters,
    readonly since: i64,
    readonly until: i64,
  ) {}
}

export class Reading extends EventReader {
  /** Position of the next event to look at; 0: the first one from `since` on, which the journal knows. */
  private cursor: u64 = 0;
  /** Ends before this position; 0: not yet. */
  private end: u64 = 0;
  private page: JournalEntry[] = [];
  private asks: bool = false;
  private over: bool = false;
  private unread: u32 = 0;
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
    this.cursor = cursor > 0 ? cursor : engine.events.since(this.wish.since);
    const until = this.wish.until;
    if (until != NO_TIME) {
      if (until <= engine.now.wall) this.end = engine.events.next;
      else this.wait(<u64>(until - engine.now.wall));
    }
    engine.events.join(this);
    this.happened();
  }

  private wait(delay: u64): void {
    const timer = new ReadingEnd(this);
    timer.at(delay);
    this.timer = timer;
  }

  /** Goes on as far as it can. */
  happened(): void {
    while (!this.over && !this.asks && this.unread <= CREDIT) {
      if (this.end > 0 && this.cursor >= this.end) return this.finish();
      if (this.cursor == engine.events.next) return;
      if (!this.step()) return this.ask();
    }
  }

  /** One event further; false if what comes next must be read. */
  private step(): bool {
    const event = engine.events.at(this.cursor);
    if (event !== null) {
      this.page = [];
      this.cursor += 1;
      this.show(event);
      return true;
    }
    if (this.page.length == 0) return false;
    const entry = this.page.pop();
    this.cursor = entry.position + 1;
    const read = readEntry(entry.bytes);
    if (read === null) this.skip(entry);
    else this.show(read);
    return true;
  }

  private skip(entry: JournalEntry): void {
    tellSkipped(`event ${entry.position.toString()}`, "it has a form that this engine does not know");
    this.lost(1, "");
  }

  private ask(): void {
    const cursor = this.cursor;
    const start: JournalStart = cursor > 0 ? new JournalStartPosition(cursor) : new JournalStartTime(this.wish.since);
    this.asks = true;
    readJournal(new PageRead(this, engine.events.next), 0, new JournalReading(start, PAGE));
  }

  /** `next`: where the journal ended when it was asked for. */
  read(page: JournalPage, next: u64): void {
    this.asks = false;
    if (this.cursor == 0) this.cursor = page.entries.length > 0 ? page.entries[0].position : next;
    else this.skipTo(page.entries.length > 0 ? page.entries[0].position : page.oldest);
    this.page = page.entries.reverse();
    const stuck = this.page.length == 0 && this.cursor < engine.events.oldest;
    if (stuck) this.unreadable("the journal has a gap");
    else this.happened();
  }

  /** What cannot be read is passed over, as if it had been taken away. */
  unreadable(message: string): void {
    this.asks = false;
    const oldest = engine.events.oldest;
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
    this.end = engine.events.next;
    this.happened();
  }

  leave(): void {
    this.over = true;
    const timer = this.timer;
    if (timer !== null) timer.forget();
    engine.events.leave(this);
  }

  private finish(): void {
    this.leave();
    endReply(this.call);
  }

  /** The journal is not as long as this reader has let itself time. */
  private skipTo(position: u64): void {
    if (position <= this.cursor) return;
    this.lost(position - this.cursor, "");
    this.cursor = position;
  }

  private show(event: Event): void {
    const wish = this.wish;
    if (wish.since != NO_TIME && event.at < wish.since) return;
    if (wish.until != NO_TIME && event.at > wish.until) return;
    if (eventMatches(event, wish.filters)) this.send(event);
  }

  /** Whatever its filters are: what is lost may have been what it waits for. */
  private lost(events: u64, message: string): void {
    const event = new Event("daemon", "events-lost", engine.id, engine.now.wall);
    event.with("coracle.lost", events.toString()).with("name", engine.options.machine.name);
    if (message.length > 0) event.with("coracle.error", message);
    this.send(event);
  }

  private send(event: Event): void {
    const line = event.line(this.call.version);
    this.unread += <u32>line.length;
    sendChunk(this.call, this.type == JSON_SEQUENCE ? withSeparator(line) : line);
  }
}

class PageRead extends Task {
  constructor(
    private readonly reading: Reading,
    private readonly next: u64,
  ) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) this.reading.unreadable(failure.message);
    else this.reading.read((<OutcomeJournal>outcome!).value, this.next);
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
