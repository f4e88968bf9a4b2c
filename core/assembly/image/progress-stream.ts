// The progress stream of pull, push, load and import (surface §2.22, §6.3): one JSON object per line, each followed by
// `\r\n`. A client that reads slowly only gets the newest line of each layer.

import { Closing, LogSource } from "../../../build/bindings/types";
import { Call, Follower } from "../call";
import { JsonWriter } from "../json/writer";
import { openCalls } from "../open-calls";
import { internal, Refusal } from "../refusal";
import {
  besideLog,
  drainLog,
  endReply,
  headersOf,
  insertLog,
  openReply,
  refused,
  sendChunk,
  sendRefusal,
} from "../reply";
import { byteSize } from "../text/byte-size";

/** From this version on, clients draw the progress bar: engines up to 28 sent it as `progress`. */
const WITHOUT_BAR: i32 = 52;
/** Limit of unsent bytes (core/wit/replies.wit); further lines wait here. */
const CREDIT: i32 = 512 * 1024;
/** What a log counts as until all of it has been sent, from its end on if it is sent beside (core/wit/replies.wit). */
const LOG_WEIGHT: i32 = 64 * 1024;
/** With more unsent bytes, a step of a build waits for its client. */
const CROWDED: i32 = 256 * 1024;
const NOTHING = new Uint8Array(0);
const BAR_COLUMNS: i32 = 50;
const AMOUNT_COLUMNS: i32 = 8;

/** The writer of a stream. */
export interface StreamWriter {
  /** The client has disconnected. */
  clientGone(): void;
}

/** Waits until a stream is not crowded. */
export interface RoomReader {
  roomCame(): void;
}

/** Hears of the layers of a pull, also of a quiet one. */
export interface LayerListener {
  /** `what`: `Downloading` or `Extracting`; the latter is over when nothing is left. */
  layerMoved(what: string, id: string, current: u64, total: u64): void;
}

/** Keeps the containers whose logs a stream sends beside its lines. */
export interface LogKeeper {
  /** The container is still there. */
  hasLog(container: string): bool;
  /** A log that had to wait for room has been opened, or nobody opens it any more. */
  logSettled(container: string): void;
}

/** A line that waits for room, or a log in its place. */
class HeldLine {
  log: LogSource | null = null;
  /** Of a log whose run goes on while the next lines are sent; null for others. */
  keeper: LogKeeper | null = null;
  /** The container whose log ends here; empty for others. */
  drained: string = "";

  constructor(
    /** Lines about an amount replace an earlier one with the same key. Empty for lines that must all be sent. */
    readonly key: string,
    public bytes: Uint8Array,
  ) {}
}

export class ProgressStream extends Follower {
  /** Pulls are not shown: the client asked for the result only. */
  quiet: bool = false;
  listener: LayerListener | null = null;
  private opened: bool = false;
  private over: bool = false;
  private unsent: i32 = 0;
  private held: HeldLine[] = [];
  /** Containers whose logs are sent beside the lines. */
  private readonly besides: Set<string> = new Set<string>();
  private ends: bool = false;
  private writer: StreamWriter | null = null;
  private waiting: RoomReader[] = [];

  constructor(private readonly call: Call) {
    super();
  }

  /** A quiet one of the same client: only the listener hears of it. */
  heardBy(listener: LayerListener): ProgressStream {
    const stream = new ProgressStream(this.call);
    stream.quiet = true;
    stream.listener = listener;
    return stream;
  }

  /** From now on, the writer is told if its client disconnects. */
  begin(writer: StreamWriter): void {
    this.writer = writer;
    this.call.follower = this;
    openCalls.add(this.call);
  }

  /** The client has disconnected, or the stream is complete. */
  get finished(): bool {
    return this.over;
  }

  /** Something was sent: an error can only be the last line now. */
  get begun(): bool {
    return this.opened;
  }

  /** The client reads too slowly: whatever can wait should wait. */
  get isCrowded(): bool {
    return !this.over && (this.unsent > CROWDED || this.held.length > 0);
  }

  /** Tells the reader once, as soon as the stream is not crowded any more. */
  whenRoom(reader: RoomReader): void {
    this.waiting.push(reader);
  }

  /** `{"status", "id"}`; no id if empty. */
  status(text: string, id: string = ""): void {
    if (this.quiet) return;
    const json = object();
    json.stringField("status", text);
    if (id.length > 0) json.stringField("id", id);
    this.send("", end(json));
  }

  /** Status of a layer, without amounts. */
  layer(status: string, id: string): void {
    if (this.quiet) return;
    const json = object();
    json.stringField("status", status);
    json.key("progressDetail").beginObject().endObject();
    json.stringField("id", id);
    this.send("", end(json));
  }

  /** Progress of a layer, or of an import without an id. `key`: identifies the layer, since ids may be the same. */
  amount(status: string, id: string, key: string, current: u64, total: u64): void {
    const listener = this.listener;
    if (listener !== null) listener.layerMoved(status, id, current, total);
    if (this.quiet) return;
    const json = object();
    json.stringField("status", status);
    json.key("progressDetail").beginObject();
    if (current > 0) json.key("current").u64(current);
    if (total > 0) json.key("total").u64(total);
    json.endObject();
    if (this.call.version < WITHOUT_BAR) {
      const bar = barOf(current, total);
      if (bar.length > 0) json.stringField("progress", bar);
    }
    if (id.length > 0) json.stringField("id", id);
    this.send(`${status} ${key}`, end(json));
  }

  /** What a push made: `{"progressDetail", "aux"}`. `size`: of the manifest, in bytes. */
  pushed(tag: string, digest: string, size: i32): void {
    const json = object();
    json.key("progressDetail").beginObject().endObject();
    json.key("aux").beginObject();
    json.stringField("Tag", tag);
    json.stringField("Digest", digest);
    json.i64Field("Size", size);
    json.endObject();
    this.send("", end(json));
  }

  /** Free text, including its newline. */
  text(stream: string): void {
    const json = object();
    json.stringField("stream", stream);
    this.send("", end(json));
  }

  /** What a step of a build made: `{"aux": {"ID"}}`. */
  made(id: string): void {
    const json = object();
    json.key("aux").beginObject().stringField("ID", id).endObject();
    this.send("", end(json));
  }

  /** The log of a run, up to its end, which the next line follows. */
  insert(log: LogSource): void {
    if (this.over) return;
    this.holdLog(log, null);
  }

  /** The log of a run that goes on, between the lines. `drain` comes when it is over. */
  beside(log: LogSource, keeper: LogKeeper): void {
    if (this.over) return;
    this.holdLog(log, keeper);
  }

  /** The log of this container still waits for room: the container must stay until its keeper is told. */
  holdsLog(container: string): bool {
    for (let i = 0; i < this.held.length; i++) {
      const log = this.held[i].log;
      if (log !== null && log.container == container) return true;
    }
    return false;
  }

  /** That run is over: the next line follows the end of its log. */
  drain(container: string): void {
    if (this.over) return;
    const line = new HeldLine("", NOTHING);
    line.drained = container;
    this.held.push(line);
    this.flush();
  }

  /** Sent as an HTTP error before the first line, and as the last line after it. */
  refuse(refusal: Refusal): void {
    if (this.over) return;
    if (this.opened) return this.endWith(refusal);
    this.over = true;
    sendRefusal(this.call, refusal);
  }

  /** Sends the error as the last line, even if it is also the first one. */
  fail(message: string): void {
    this.endWith(internal(message));
  }

  /** The same for a program that failed: `code` is its exit code. */
  failWithCode(message: string, code: i32): void {
    this.endWith(internal(message), code);
  }

  end(): void {
    if (this.over) return;
    this.open();
    this.over = true;
    this.ends = true;
    this.flush();
  }

  private tellRoom(): void {
    while (this.waiting.length > 0 && !this.isCrowded && !this.over) this.waiting.shift().roomCame();
  }

  closed(_call: Call, _why: Closing): void {
    const writer: StreamWriter | null = this.over ? null : this.writer;
    this.over = true;
    this.ends = false;
    const held = this.held;
    this.held = [];
    this.waiting = [];
    if (writer !== null) writer.clientGone();
    for (let i = 0; i < held.length; i++) settleLog(held[i]);
  }

  drained(_call: Call, bytes: u32): void {
    this.unsent = max(0, this.unsent - <i32>bytes);
    this.flush();
    this.tellRoom();
  }

  private endWith(refusal: Refusal, code: i32 = 0): void {
    if (this.over) return;
    refused(this.call, refusal);
    const json = object();
    json.key("errorDetail").beginObject();
    if (code != 0) json.i64Field("code", code);
    json.stringField("message", refusal.message);
    json.endObject();
    json.stringField("error", refusal.message);
    this.send("", end(json));
    this.end();
  }

  /** A line that is written already. `key`: see `HeldLine`. */
  send(key: string, bytes: Uint8Array): void {
    if (this.over) return;
    this.open();
    this.hold(key, bytes);
    this.flush();
  }

  private open(): void {
    if (this.opened) return;
    this.opened = true;
    openReply(this.call, 200, headersOf(this.call).json, this);
  }

  private holdLog(log: LogSource, keeper: LogKeeper | null): void {
    this.open();
    const line = new HeldLine("", NOTHING);
    line.log = log;
    line.keeper = keeper;
    this.held.push(line);
    this.flush();
  }

  private hold(key: string, bytes: Uint8Array): void {
    if (key.length > 0) {
      for (let i = this.held.length - 1; i >= 0; i--) {
        if (this.held[i].key != key) continue;
        this.held[i].bytes = bytes;
        return;
      }
    }
    this.held.push(new HeldLine(key, bytes));
  }

  private flush(): void {
    let sent = 0;
    while (sent < this.held.length && this.unsent < CREDIT) this.sendHeld(this.held[sent++]);
    if (sent > 0) this.held.splice(0, sent);
    if (!this.ends || this.held.length > 0) return;
    this.ends = false;
    endReply(this.call);
  }

  private sendHeld(line: HeldLine): void {
    const log = line.log;
    const keeper = line.keeper;
    if (log !== null && keeper !== null) return this.sendBeside(log, keeper);
    if (line.drained.length > 0 && !this.besides.delete(line.drained)) return;
    this.unsent += log !== null || line.drained.length > 0 ? LOG_WEIGHT : line.bytes.length;
    if (log !== null) insertLog(this.call, log);
    else if (line.drained.length > 0) drainLog(this.call, line.drained);
    else sendChunk(this.call, line.bytes);
  }

  /** A cancelled run's container may be gone by now: nothing is told of it, nor drained. */
  private sendBeside(log: LogSource, keeper: LogKeeper): void {
    if (keeper.hasLog(log.container)) {
      this.besides.add(log.container);
      besideLog(this.call, log);
    }
    keeper.logSettled(log.container);
  }
}

function settleLog(line: HeldLine): void {
  const log = line.log;
  const keeper = line.keeper;
  if (log !== null && keeper !== null) keeper.logSettled(log.container);
}

/** Docker's bar: 50 columns and a head, then the amounts. Empty if nothing is known. */
export function barOf(current: u64, total: u64): string {
  if (current == 0 && total == 0) return "";
  const amount = byteSize(current).padStart(AMOUNT_COLUMNS, " ");
  if (total == 0) return amount;
  const filled = current >= total ? BAR_COLUMNS : <i32>(((<f64>current / <f64>total) * 100) / 2);
  const bar = `[${"=".repeat(filled)}>${" ".repeat(BAR_COLUMNS - filled)}] `;
  return current > total ? bar + amount : `${bar}${amount}/${byteSize(total)}`;
}

function object(): JsonWriter {
  const json = new JsonWriter(true);
  json.beginObject();
  return json;
}

function end(json: JsonWriter): Uint8Array {
  json.endObject();
  return json.line("\r\n").finish();
}
