// GET /containers/{id}/stats (surface §2.12). All clients that
// watch a container share one timer and one sample per second.

import {
  Closing,
  Failure,
  Outcome,
  OutcomeSample,
  ProcessCommandSample,
  Sample,
  Subject,
} from "../../../../build/bindings/types";
import { flagOf } from "../../api/parameters";
import { askProcesses, cancelTimer, wakeAfter } from "../../ask";
import { Call, Follower } from "../../call";
import { openCalls } from "../../open-calls";
import { Refusal } from "../../refusal";
import { endReply, headersOf, openReply, sendChunk, sendJson } from "../../reply";
import { Task } from "../../task";
import { Container } from "../container";
import { containerStore } from "../store";
import { statsRecord } from "./stats-json";
import { Watch } from "./watch";

const PERIOD: u64 = 1_000_000_000;
/** A reader with this many unread bytes gets no more until it has read them. */
const CREDIT: u32 = 64 << 10;
/** From this version on, there is the parameter `one-shot`. */
const WITH_ONE_SHOT = 41;

export function containerStats(call: Call): Refusal | null {
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (flagOf(call.query, "stream", true)) {
    watchOf(container).join(new StreamReader(call));
    return null;
  }
  const atOnce = call.version >= WITH_ONE_SHOT && flagOf(call.query, "one-shot");
  if (!container.running) sendJson(call, 200, statsRecord(container, null, null, call.version));
  else watchOf(container).join(new SingleReader(call, atOnce));
  return null;
}

/** The container was removed. */
export function endStats(container: Container): void {
  const watch = container.watch;
  if (watch !== null) watch.end();
}

function watchOf(container: Container): StatsWatch {
  const there = container.watch;
  if (there !== null) return <StatsWatch>there;
  const watch = new StatsWatch(container);
  container.watch = watch;
  return watch;
}

/** A client that reads a container's usage. */
abstract class StatsReader {
  constructor(readonly call: Call) {}

  /** Takes the next sample; null while the container is not running. Returns false if the client needs no more. */
  abstract take(container: Container, sample: Sample | null): bool;

  /** No more samples will follow. */
  abstract end(container: Container): void;
}

enum Step {
  Tick,
  Sample,
}

/** Takes samples of one container: one at once for the first reader, then one per second while there are readers. */
class StatsWatch extends Task implements Watch {
  private readers: StatsReader[] = [];
  private timer: u64 = 0;
  private asked: bool = false;
  /**
   * Whether the pending sample is the regular one of this second. Otherwise it is only for readers that want one at
   * once.
   */
  private regular: bool = false;

  constructor(private readonly container: Container) {
    super();
  }

  join(reader: StatsReader): void {
    this.readers.push(reader);
    reader.call.follower = new ReaderGone(this, reader);
    openCalls.add(reader.call);
    if (reader instanceof StreamReader) (<StreamReader>reader).begin();
    if (this.timer == 0) this.tick();
    else if (isHasty(reader)) this.ask(false);
  }

  leave(reader: StatsReader): void {
    const at = this.readers.indexOf(reader);
    if (at >= 0) this.readers.splice(at, 1);
    if (this.readers.length == 0) this.stop();
  }

  end(): void {
    const readers = this.readers;
    this.readers = [];
    this.stop();
    for (let i = 0; i < readers.length; i++) readers[i].end(this.container);
  }

  elapsed(_step: i32): void {
    this.tick();
  }

  ended(_step: i32, outcome: Outcome | null, _failure: Failure | null): void {
    const all = this.regular;
    this.asked = false;
    this.regular = false;
    this.tell(outcome === null ? null : (<OutcomeSample>outcome).value, all);
  }

  private tick(): void {
    this.timer = wakeAfter(this, Step.Tick, PERIOD);
    if (this.container.running) this.ask(true);
    else this.tell(null, true);
  }

  /** Takes one sample at a time: a reader that joins meanwhile gets that one. */
  private ask(regular: bool): void {
    if (regular) this.regular = true;
    if (this.asked) return;
    this.asked = true;
    askProcesses(this, Step.Sample, new ProcessCommandSample(new Subject(this.container.id, this.container.run)));
  }

  private tell(sample: Sample | null, all: bool): void {
    const readers = this.readers.slice(0);
    for (let i = 0; i < readers.length; i++) {
      if (!all && !isHasty(readers[i])) continue;
      if (!readers[i].take(this.container, sample)) this.leave(readers[i]);
    }
  }

  private stop(): void {
    if (this.timer != 0) cancelTimer(this.timer);
    this.timer = 0;
    this.container.watch = null;
  }
}

/** The reader is done after the first sample. */
function isHasty(reader: StatsReader): bool {
  return reader instanceof SingleReader && (<SingleReader>reader).atOnce;
}

/** Sends a record per second; the first has nothing to compare with. */
class StreamReader extends StatsReader {
  private before: Sample | null = null;
  unread: u32 = 0;

  begin(): void {
    openReply(this.call, 200, headersOf(this.call).all, this.call.follower);
  }

  take(container: Container, sample: Sample | null): bool {
    if (this.unread > CREDIT) return true;
    const record = statsRecord(container, sample, this.before, this.call.version);
    this.before = sample;
    this.unread += <u32>record.length;
    sendChunk(this.call, record);
    return true;
  }

  end(_container: Container): void {
    endReply(this.call);
  }
}

/** Sends one record: of the first sample, or of the second compared with the first. */
class SingleReader extends StatsReader {
  private before: Sample | null = null;

  constructor(
    call: Call,
    readonly atOnce: bool,
  ) {
    super(call);
  }

  take(container: Container, sample: Sample | null): bool {
    if (!this.atOnce && this.before === null && sample !== null) {
      this.before = sample;
      return true;
    }
    this.answer(container, sample);
    return false;
  }

  end(container: Container): void {
    this.answer(container, null);
  }

  private answer(container: Container, sample: Sample | null): void {
    sendJson(this.call, 200, statsRecord(container, sample, this.before, this.call.version));
  }
}

class ReaderGone extends Follower {
  constructor(
    private readonly watch: StatsWatch,
    private readonly reader: StatsReader,
  ) {
    super();
  }

  closed(_call: Call, _why: Closing): void {
    this.watch.leave(this.reader);
  }

  drained(_call: Call, bytes: u32): void {
    const reader = this.reader;
    if (!(reader instanceof StreamReader)) return;
    const stream = <StreamReader>reader;
    stream.unread = bytes > stream.unread ? 0 : stream.unread - bytes;
  }
}
