// The history of builds by BuildKit: those under way, and those that are over, which outlive the engine.

import { deleteRecord } from "../../../ask";
import { Call } from "../../../call";
import { JsonWriter } from "../../../json/writer";
import { BUILD_RECORDS } from "../../../records/kinds";
import { putRecord } from "../../../records/put";
import { setAside } from "../../../records/set-aside";
import { line } from "../../../reply";
import { engine } from "../../../state";
import { builderSettings, MOST_BUILDS } from "../../settings/builder-settings";
import { News } from "../progress/news";
import { Watcher, WatcherOwner } from "../progress/watcher";
import { BuildRecord } from "./build-record";

/** Builds that clients pin stay until a client removes them. They count apart. */
const MOST_PINNED: i32 = 50;
const MOST_LISTENERS: i32 = 100;
/** Whoever has not read more news than these hears of nothing else: the call ends once they are read. */
const MOST_UNREAD: i32 = 1000;

enum Event {
  Started,
  Complete,
  Deleted,
}

/** A message `BuildHistoryEvent`: what is true of a build when it is sent. */
class BuildNews extends News {
  constructor(readonly build: BuildRecord) {
    super();
  }

  line(): Uint8Array {
    const build = this.build;
    let event = build.completed == 0 ? Event.Started : Event.Complete;
    if (build.deleted) event = Event.Deleted;
    const json = new JsonWriter().beginObject();
    json.i64Field("type", event).key("record");
    build.write(json);
    return line(json.endObject());
  }
}

/** A client that hears of builds. */
class Listener {
  constructor(
    readonly watcher: Watcher,
    /** Of the only build that it wants to hear of; empty for all. */
    readonly ref: string,
  ) {}
}

class BuildHistory implements WatcherOwner {
  /** By their own ids: a client may give its build the ref that the engine gave another. */
  private readonly active: Map<string, BuildNews> = new Map<string, BuildNews>();
  /** By ref, the oldest first. */
  private readonly past: Map<string, BuildNews> = new Map<string, BuildNews>();
  private listeners: Listener[] = [];

  restore(build: BuildRecord): void {
    this.past.set(build.ref, new BuildNews(build));
  }

  putAll(): void {
    const builds = this.over();
    for (let i = 0; i < builds.length; i++) put(builds[i]);
  }

  begin(build: BuildRecord): void {
    const news = new BuildNews(build);
    this.active.set(build.id, news);
    this.tell(news);
  }

  /** It is over: what became of it is known. */
  complete(build: BuildRecord): void {
    const news = this.active.get(build.id);
    this.active.delete(build.id);
    build.completed = engine.now.wall;
    if (this.past.has(build.ref)) this.forget(this.past.get(build.ref).build);
    this.past.set(build.ref, news);
    put(build);
    this.tell(news);
    this.shorten();
  }

  /** Null unless it is over. */
  find(ref: string): BuildRecord | null {
    return this.past.has(ref) ? this.past.get(ref).build : null;
  }

  /** Those that are over, the oldest first. */
  over(): BuildRecord[] {
    const builds = this.past.values().map<BuildRecord>((news) => news.build);
    return builds.sort((one, other) => (one.created < other.created ? -1 : one.created > other.created ? 1 : 0));
  }

  /** False if too many are. */
  pin(build: BuildRecord, pinned: bool): bool {
    if (build.pinned == pinned) return true;
    if (pinned && this.over().filter((one) => one.pinned).length >= MOST_PINNED) return false;
    build.pinned = pinned;
    this.changed(build);
    this.shorten();
    return true;
  }

  changed(build: BuildRecord): void {
    build.generation += 1;
    put(build);
    this.tell(this.past.get(build.ref));
  }

  remove(build: BuildRecord): void {
    const news = this.past.get(build.ref);
    this.forget(build);
    this.tell(news);
  }

  get isFull(): bool {
    return this.listeners.length >= MOST_LISTENERS;
  }

  /** Tells of these builds, and of what happens from now on unless `ends`. */
  listen(call: Call, ref: string, chosen: BuildRecord[], isActive: bool, ends: bool): void {
    const watcher = new Watcher(call, false, this);
    if (!ends) this.listeners.push(new Listener(watcher, ref));
    const first: News[] = [];
    const under = this.active.values();
    for (let i = 0; i < under.length; i++) if (isOf(under[i].build, ref)) first.push(under[i]);
    for (let i = 0; i < chosen.length && !isActive; i++) first.push(this.past.get(chosen[i].ref));
    watcher.begin(first);
    if (ends) watcher.end();
  }

  /** It is sent only as much at once as it reads: the host holds each log open until it is sent. */
  tellPast(call: Call, steps: News[]): void {
    const watcher = new Watcher(call, false, this);
    watcher.begin(steps);
    watcher.end();
  }

  /** Ids of all logs that records keep. */
  logs(): Set<string> {
    const ids = new Set<string>();
    const builds = this.over();
    for (let i = 0; i < builds.length; i++) {
      const logs = builds[i].steps.logs;
      for (let j = 0; j < logs.length; j++) ids.add(logs[j].id);
    }
    return ids;
  }

  watcherRead(): void {}

  watcherLeft(watcher: Watcher): void {
    for (let i = this.listeners.length - 1; i >= 0; i--) {
      if (this.listeners[i].watcher === watcher) this.listeners.splice(i, 1);
    }
  }

  /** Removes those for which there is no room, or that are too old. */
  shorten(): void {
    const builds = this.over().filter((one) => !one.pinned);
    const settings = builderSettings();
    const oldest = engine.now.wall - settings.longest;
    for (let i = 0; i < builds.length - settings.newest; i++) {
      if (i < builds.length - MOST_BUILDS || builds[i].completed < oldest) this.remove(builds[i]);
    }
  }

  private forget(build: BuildRecord): void {
    build.drop();
    this.past.delete(build.ref);
    deleteRecord(BUILD_RECORDS + build.id);
    setAside.forget(BUILD_RECORDS + build.id);
  }

  private tell(news: BuildNews): void {
    const all = this.listeners.slice(0);
    for (let i = 0; i < all.length; i++) if (isOf(news.build, all[i].ref)) this.tellOne(all[i].watcher, news);
  }

  private tellOne(watcher: Watcher, news: BuildNews): void {
    watcher.tell(news);
    if (watcher.unread <= MOST_UNREAD) return;
    this.watcherLeft(watcher);
    watcher.end();
  }
}

export const history: BuildHistory = new BuildHistory();

function put(build: BuildRecord): void {
  putRecord(BUILD_RECORDS + build.id, build.record());
}

function isOf(build: BuildRecord, ref: string): bool {
  return ref.length == 0 || build.ref == ref;
}
