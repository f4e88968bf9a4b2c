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
  /** What the commands that run now write. */
  private readonly running: LogNews[] = [];
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
    for (let i = 0; i < this.running.length; i++) watcher.tell(this.running[i]);
    if (this.over) watcher.end();
  }

  tell(news: ListedNews): void {
    this.history.add(news);
    for (let i = 0; i < this.watching.length; i++) this.watching[i].tell(news);
  }

  insert(source: LogSource): void {
    const log = new LogNews(source);
    this.running.push(log);
    for (let i = 0; i < this.watching.length; i++) this.watching[i].tell(log);
  }

  /** Its container goes soon: whoever has not come to it yet misses it. */
  endLog(container: string): void {
    for (let i = 0; i < this.running.length; i++) {
      const log = this.running[i];
      if (log.source.container != container) continue;
      this.running.splice(i, 1);
      log.over = true;
      for (let j = 0; j < this.watching.length; j++) this.watching[j].endLog(log);
      return;
    }
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    while (this.running.length > 0) this.endLog(this.running[0].source.container);
    this.waiting = [];
    // Those who have read all leave at once.
    const all = this.watching.slice(0);
    for (let i = 0; i < all.length; i++) all[i].end();
  }

  /**
   * What late clients are told at first. What a command has written comes between the beginning and the end of its step; if that
   * is not over, its container still has it.
   */
  private past(): News[] {
    const news: News[] = [];
    const told = this.history.values();
    for (let i = 0; i < told.length; i++) {
      const vertex: Vertex | null = told[i] instanceof Vertex ? <Vertex>told[i] : null;
      const log = vertex !== null && vertex.isOver ? vertex.written : null;
      if (log !== null) {
        news.push(vertex!.begun);
        news.push(new LogNews(log.source));
      }
      news.push(told[i]);
    }
    return news;
  }
}
