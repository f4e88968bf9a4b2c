// A client that watches a build. It is sent only as much as it reads: what has to wait is sent in its newest state.

import { Closing } from "../../../../../build/bindings/types";
import { Call, Follower } from "../../../call";
import { besideLog, drainLog, endReply, headersOf, insertLog, openReply, sendChunk } from "../../../reply";
import { LogNews, News } from "./news";

/** With more unsent bytes to the build's own client, the next step waits. */
const CROWDED: i32 = 256 * 1024;
/** With more unsent bytes to anyone, what comes next waits (core/wit/replies.wit). */
const CREDIT: i32 = 512 * 1024;
/** What a log counts as from its end until all of it has been sent (core/wit/replies.wit). */
const LOG_WEIGHT: i32 = 64 * 1024;

/** Knows who watches. */
export interface WatcherOwner {
  /** A watcher has read something. */
  watcherRead(): void;
  watcherLeft(watcher: Watcher): void;
}

export class Watcher extends Follower {
  private unsent: i32 = 0;
  /** What waits for room, in its order; those before `next` are sent. */
  private queue: News[] = [];
  private next: i32 = 0;
  /** The same. */
  private readonly queued: Set<News> = new Set<News>();
  /** Logs of commands that still run. */
  private readonly beside: Set<LogNews> = new Set<LogNews>();
  private ends: bool = false;

  constructor(
    private readonly call: Call,
    /** The build waits for it. */
    private readonly isOwn: bool,
    private readonly owner: WatcherOwner,
  ) {
    super();
  }

  get isCrowded(): bool {
    return this.isOwn && (this.unsent > CROWDED || this.queued.size > 0);
  }

  /** How much news waits for room. */
  get unread(): i32 {
    return this.queued.size;
  }

  /** `history`: what has happened before. */
  begin(history: News[]): void {
    openReply(this.call, 200, headersOf(this.call).json, this);
    for (let i = 0; i < history.length; i++) this.wait(history[i]);
    this.flush();
  }

  /**
   * What the build's own client is told while it reads fast enough is never held: a log has an end. If it does not read while a
   * step takes long, it misses how far the step is.
   */
  tell(news: News): void {
    const isDirect = this.isOwn && this.queued.size == 0;
    if (isDirect && news.isInterim && this.unsent >= CREDIT) return;
    if (isDirect) return this.send(news);
    this.wait(news);
    this.flush();
  }

  /** The command has ended. Clients drop lines of a step that is over: its end comes after them. */
  endLog(log: LogNews): void {
    if (!this.beside.delete(log)) return;
    this.unsent += LOG_WEIGHT;
    drainLog(this.call, log.source.container);
  }

  end(): void {
    this.ends = true;
    this.flush();
  }

  drained(_call: Call, bytes: u32): void {
    this.unsent = max(0, this.unsent - <i32>bytes);
    this.flush();
    this.owner.watcherRead();
  }

  closed(_call: Call, _why: Closing): void {
    this.ends = false;
    this.owner.watcherLeft(this);
  }

  private wait(news: News): void {
    if (this.queued.has(news)) return;
    this.queued.add(news);
    this.queue.push(news);
  }

  private flush(): void {
    while (this.next < this.queue.length && this.unsent < CREDIT) {
      const news = this.queue[this.next++];
      this.queued.delete(news);
      this.send(news);
    }
    // Now and then, so that what is sent is not kept for a client that never catches up.
    if (this.next * 2 >= this.queue.length) {
      this.queue = this.queue.slice(this.next);
      this.next = 0;
    }
    if (this.queue.length > 0) return;
    if (!this.ends) return;
    this.ends = false;
    endReply(this.call);
    this.owner.watcherLeft(this);
  }

  private send(news: News): void {
    if (news instanceof LogNews) return this.insert(<LogNews>news);
    const bytes = news.line();
    this.unsent += bytes.length;
    sendChunk(this.call, bytes);
  }

  private insert(log: LogNews): void {
    if (log.over) return;
    if (log.goesOn) {
      this.beside.add(log);
      return besideLog(this.call, log.source);
    }
    this.unsent += LOG_WEIGHT;
    insertLog(this.call, log.source);
  }
}
