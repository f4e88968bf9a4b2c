// Control.Status: clients that watch a build. Each learns everything from its beginning.

import { LogSource } from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { RoomReader } from "../../../image/progress-stream";
import { Connection, connections } from "../connections";
import { Audience } from "./audience";
import { ListedNews, LogNews, News } from "./news";
import { Vertex } from "./vertices";
import { Watcher, WatcherOwner } from "./watcher";

/** More clients than ever watch one build: each costs memory for what it has not read. */
const MOST: i32 = 100;

export class Watchers extends Audience implements WatcherOwner {
  private readonly watching: Watcher[] = [];
  /** What was told, each once, in the order of its first time. */
  private readonly history: Set<News> = new Set<News>();
  /** What the command that runs now writes. */
  private log: LogNews | null = null;
  private over: bool = false;
  private waiting: RoomReader[] = [];

  constructor(
    /** Of the build's client: the build waits for what comes by it to be read. Others may read as slowly as they like. */
    private readonly own: Connection | null,
  ) {
    super();
  }

  /** Each piece once, in the order of its first time. */
  get told(): News[] {
    return this.history.values();
  }

  get isFull(): bool {
    return this.watching.length >= MOST;
  }

  /** The build's own client reads too slowly. */
  get isCrowded(): bool {
    for (let i = 0; i < this.watching.length; i++) if (this.watching[i].isCrowded) return true;
    return false;
  }

  whenRoom(reader: RoomReader): void {
    this.waiting.push(reader);
  }

  watcherRead(): void {
    while (this.waiting.length > 0 && !this.over && !this.isCrowded) this.waiting.shift().roomCame();
  }

  watcherLeft(watcher: Watcher): void {
    const at = this.watching.indexOf(watcher);
    if (at >= 0) this.watching.splice(at, 1);
    this.watcherRead();
  }

  add(call: Call): void {
    const watcher = new Watcher(call, connections.of(call) === this.own, this);
    this.watching.push(watcher);
    watcher.begin(this.past());
    const log = this.log;
    if (log !== null) watcher.tell(log);
    if (this.over) watcher.end();
  }

  tell(news: ListedNews): void {
    this.endLog();
    this.history.add(news);
    for (let i = 0; i < this.watching.length; i++) this.watching[i].tell(news);
  }

  insert(source: LogSource): void {
    this.endLog();
    const log = new LogNews(source);
    this.log = log;
    for (let i = 0; i < this.watching.length; i++) this.watching[i].tell(log);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.endLog();
    this.waiting = [];
    // Those who have read all leave at once.
    const all = this.watching.slice(0);
    for (let i = 0; i < all.length; i++) all[i].end();
  }

  /** What late clients are told at first. What a command has written comes between the beginning and the end of its step. */
  private past(): News[] {
    const news: News[] = [];
    const told = this.history.values();
    for (let i = 0; i < told.length; i++) {
      const log = told[i] instanceof Vertex ? (<Vertex>told[i]).written : null;
      if (log !== null) {
        news.push((<Vertex>told[i]).begun);
        news.push(new LogNews(log.source));
      }
      news.push(told[i]);
    }
    return news;
  }

  /** Its container goes soon: whoever has not come to it yet misses it. */
  private endLog(): void {
    const log = this.log;
    this.log = null;
    if (log !== null) log.over = true;
  }
}
