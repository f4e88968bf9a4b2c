// GET /events (surface §2.11).

import { Closing, Failure, Outcome } from "../../../build/bindings/types";
import { Filters, parseFilters } from "../api/filters";
import { acceptedJsonStream, JSON_LINES, JSON_SEQUENCE } from "../api/json-streams";
import { cancelTimer, wakeAfter } from "../ask";
import { Call, Follower } from "../call";
import { badParameter, Refusal } from "../refusal";
import { commonHeaders, endReply, openReply, sendChunk } from "../reply";
import { engine } from "../state";
import { Task } from "../task";
import { BAD_TIME, parseFilterTime } from "../text/time";
import { Event } from "./event";
import { eventMatches } from "./match";
import { EventReader } from "./ring";

/** From this version on the type says that lines follow. */
const WITH_LINES = 52;
/** A reader that has this much unread loses what comes (surface §2.11: a queue of 1024). */
const CREDIT: u32 = 1 << 20;

export function followEvents(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), null);
  if (filters.error.length > 0) return badParameter(filters.error);
  const since = timeOf(call, "since");
  const until = timeOf(call, "until");
  if (since == BAD_TIME || until == BAD_TIME) {
    const name = since == BAD_TIME ? "since" : "until";
    return badParameter(`invalid value for "${name}": ${call.query.first(name)}`);
  }
  if (since > 0 && until > 0 && since > until) {
    const times = `\`since\` time (${call.query.first("since")}) cannot be after \`until\` time (${call.query.first("until")})`;
    return badParameter(times);
  }
  new Reading(call, filters, since, until).begin();
  return null;
}

function timeOf(call: Call, name: string): i64 {
  const text = call.query.first(name);
  return text.length == 0 ? 0 : parseFilterTime(text, engine.now.wall);
}

function typeOf(call: Call): string {
  const accepted = acceptedJsonStream(call);
  if (accepted.length > 0) return accepted;
  return call.version >= WITH_LINES ? JSON_LINES : "application/json";
}

class Reading extends EventReader {
  private unread: u32 = 0;
  private readonly type: string;
  private end: ReadingEnd | null = null;

  constructor(
    readonly call: Call,
    private readonly filters: Filters,
    private readonly since: i64,
    private readonly until: i64,
  ) {
    super();
    this.type = typeOf(call);
  }

  begin(): void {
    openReply(this.call, 200, `${commonHeaders.all}\nContent-Type: ${this.type}`, new ReaderGone(this));
    if (this.since > 0 || this.until > 0) {
      const past = engine.events.between(this.since, this.until);
      for (let i = 0; i < past.length; i++) this.happened(past[i]);
    }
    if (this.until > 0 && this.until <= engine.now.wall) return endReply(this.call);
    engine.events.join(this);
    if (this.until == 0) return;
    const end = new ReadingEnd(this);
    end.at(<u64>(this.until - engine.now.wall));
    this.end = end;
  }

  happened(event: Event): void {
    if (!eventMatches(event, this.filters)) return;
    const line = event.line(this.call.version);
    if (this.unread > CREDIT) return;
    this.unread += <u32>line.length;
    sendChunk(this.call, this.type == JSON_SEQUENCE ? withSeparator(line) : line);
  }

  drained(bytes: u32): void {
    this.unread = bytes > this.unread ? 0 : this.unread - bytes;
  }

  leave(): void {
    engine.events.leave(this);
    const end = this.end;
    if (end !== null) end.forget();
  }

  finish(): void {
    engine.events.leave(this);
    endReply(this.call);
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
    this.reading.finish();
  }
}

/** RFC 7464: a record begins with the byte 0x1E. */
function withSeparator(line: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(line.length + 1);
  bytes[0] = 0x1e;
  bytes.set(line, 1);
  return bytes;
}
