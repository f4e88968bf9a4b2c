// Control.Status: clients that watch a build. Each learns everything from its beginning. The build waits for them to read, as
// one of the classic builder waits for its client: what they have not read would fill the host's memory.

import { Closing, LogSource } from "../../../../build/bindings/types";
import { Call, Follower } from "../../call";
import { JsonWriter } from "../../json/writer";
import { RoomReader } from "../../image/progress-stream";
import { endReply, headersOf, insertLog, line, openReply, sendChunk } from "../../reply";
import { Vertex, VertexStatus } from "./vertices";

/** With more unsent bytes to one of them, the next step waits. */
const CROWDED: i32 = 256 * 1024;
/** What a log counts as until all of it has been sent (core/wit/replies.wit). */
const LOG_WEIGHT: i32 = 64 * 1024;
/** More clients than ever watch one build: each costs memory for what it has not read. */
const MOST: i32 = 100;

class Watcher extends Follower {
  private unsent: i32 = 0;

  constructor(
    readonly call: Call,
    private readonly all: Watchers,
  ) {
    super();
  }

  get isCrowded(): bool {
    return this.unsent > CROWDED;
  }

  send(bytes: Uint8Array): void {
    this.unsent += bytes.length;
    sendChunk(this.call, bytes);
  }

  insert(log: LogSource): void {
    this.unsent += LOG_WEIGHT;
    insertLog(this.call, log);
  }

  drained(_call: Call, bytes: u32): void {
    this.unsent = max(0, this.unsent - <i32>bytes);
    this.all.tellRoom();
  }

  closed(_call: Call, _why: Closing): void {
    this.all.leave(this);
  }
}

export class Watchers {
  private readonly watching: Watcher[] = [];
  private readonly vertices: Vertex[] = [];
  private readonly statuses: VertexStatus[] = [];
  /** What the command that runs now writes. */
  private log: LogSource | null = null;
  private over: bool = false;
  private waiting: RoomReader[] = [];

  get isFull(): bool {
    return this.watching.length >= MOST;
  }

  /** One of them reads too slowly. */
  get isCrowded(): bool {
    for (let i = 0; i < this.watching.length; i++) if (this.watching[i].isCrowded) return true;
    return false;
  }

  /** Tells the reader once, as soon as none of them is crowded any more. */
  whenRoom(reader: RoomReader): void {
    this.waiting.push(reader);
  }

  tellRoom(): void {
    while (this.waiting.length > 0 && !this.over && !this.isCrowded) this.waiting.shift().roomCame();
  }

  add(call: Call): void {
    const watcher = new Watcher(call, this);
    openReply(call, 200, headersOf(call).json, watcher);
    for (let i = 0; i < this.vertices.length; i++) watcher.send(vertexLine(this.vertices[i]));
    for (let i = 0; i < this.statuses.length; i++) watcher.send(statusLine(this.statuses[i]));
    const log = this.log;
    if (log !== null) watcher.insert(log);
    if (this.over) endReply(call);
    else this.watching.push(watcher);
  }

  leave(watcher: Watcher): void {
    const at = this.watching.indexOf(watcher);
    if (at >= 0) this.watching.splice(at, 1);
    this.tellRoom();
  }

  /** A new vertex, or one that has changed. */
  tell(vertex: Vertex): void {
    if (!this.vertices.includes(vertex)) this.vertices.push(vertex);
    this.send(vertexLine(vertex));
  }

  tellStatus(status: VertexStatus): void {
    if (!this.statuses.includes(status)) this.statuses.push(status);
    this.send(statusLine(status));
  }

  /** Comes before whatever is told next, which waits until all of it has been sent. */
  insert(log: LogSource): void {
    this.log = log;
    for (let i = 0; i < this.watching.length; i++) this.watching[i].insert(log);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    for (let i = 0; i < this.watching.length; i++) endReply(this.watching[i].call);
    this.watching.length = 0;
    this.waiting = [];
  }

  private send(bytes: Uint8Array): void {
    this.log = null;
    for (let i = 0; i < this.watching.length; i++) this.watching[i].send(bytes);
  }
}

function vertexLine(vertex: Vertex): Uint8Array {
  const json = new JsonWriter().beginObject();
  json.key("vertexes").beginArray();
  vertex.write(json);
  return line(json.endArray().endObject());
}

function statusLine(status: VertexStatus): Uint8Array {
  const json = new JsonWriter().beginObject();
  json.key("statuses").beginArray();
  status.write(json);
  return line(json.endArray().endObject());
}
