// The part of a build's stream that one stage writes. Stages are built side by side, but a client reads them one after the
// other: until the turn of a stage comes, its lines wait here, and its containers stay, since they have the logs.

import { LogSource } from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { Container } from "../../../container/container";
import { containerStore } from "../../../container/store";
import { ProgressStream, RoomReader } from "../../../image/progress-stream";
import { LaterRemoval, Leaving, RemovalReader, removeStepContainer } from "./leaving";

/** Bytes of lines that wait. With more of them the stage pauses until its turn. */
const MOST_BYTES: i32 = 256 * 1024;
/** Containers that wait for their removal; with more of them the stage pauses, too. */
const MOST_CONTAINERS: i32 = 16;
const NOTHING = new Uint8Array(0);

/** Waits until a stage has told everything. */
export interface OutputReader {
  outputTold(): void;
}

/** A line, a log, or a container that goes as soon as everything before it is told. */
class Entry {
  log: LogSource | null = null;
  leaving: Container | null = null;
  /** The removal is not told. */
  silent: bool = false;

  constructor(
    /** As in `ProgressStream`. */
    readonly key: string,
    public bytes: Uint8Array,
  ) {}
}

export class StageOutput extends ProgressStream implements RoomReader, RemovalReader {
  private entries: Entry[] = [];
  private bytes: i32 = 0;
  private containers: i32 = 0;
  /** The turn of the stage has come. */
  private isOpen: bool = false;
  /** For room in the stream, or for the end of a removal. */
  private paused: bool = false;
  private passing: bool = false;
  /** A log was told whose run is over already: the host is only about to open it. */
  private opensLog: bool = false;
  private complete: bool = false;
  private dropped: bool = false;
  private paces: RoomReader[] = [];
  private reader: OutputReader | null = null;

  constructor(
    call: Call,
    private readonly main: ProgressStream,
  ) {
    super(call);
    this.quiet = main.quiet;
  }

  get begun(): bool {
    return true;
  }

  get finished(): bool {
    return this.dropped || this.main.finished;
  }

  get isCrowded(): bool {
    if (this.dropped) return false;
    if (this.bytes > MOST_BYTES || this.containers > MOST_CONTAINERS) return true;
    return this.isOpen && this.main.isCrowded;
  }

  whenRoom(pace: RoomReader): void {
    this.paces.push(pace);
    this.awaitRoom();
  }

  roomCame(): void {
    this.paused = false;
    this.pass();
  }

  send(key: string, bytes: Uint8Array): void {
    if (this.dropped) return;
    for (let i = this.entries.length - 1; i >= 0 && key.length > 0; i--) {
      if (this.entries[i].key != key) continue;
      this.bytes += bytes.length - this.entries[i].bytes.length;
      this.entries[i].bytes = bytes;
      return;
    }
    this.bytes += bytes.length;
    this.add(new Entry(key, bytes));
  }

  insert(log: LogSource): void {
    if (this.dropped) return;
    const entry = new Entry("", NOTHING);
    entry.log = log;
    this.add(entry);
  }

  /** Removes the container of a step when its log is told. `silent`: nothing is told about it. */
  leave(container: Container, silent: bool): void {
    if (this.dropped || this.isTold) return removeStepContainer(container);
    const entry = new Entry("", NOTHING);
    entry.leaving = container;
    entry.silent = silent;
    this.containers += 1;
    this.add(entry);
  }

  /** What is here goes to the client, and what comes follows at once. */
  takeTurn(): void {
    this.isOpen = true;
    this.pass();
  }

  /** The stage is over: the reader is told as soon as all of it is told. */
  finish(reader: OutputReader): void {
    this.complete = true;
    this.reader = reader;
    this.pass();
  }

  get isComplete(): bool {
    return this.complete;
  }

  get isTold(): bool {
    return this.complete && this.isOpen && this.entries.length == 0 && !this.paused;
  }

  /** Nothing more is told. */
  drop(): void {
    this.dropped = true;
    this.paces = [];
    const entries = this.entries;
    this.entries = [];
    for (let i = 0; i < entries.length; i++) {
      const container = entries[i].leaving;
      if (container !== null) removeStepContainer(container);
    }
  }

  tellsRemovals(): bool {
    return !this.dropped;
  }

  /** A removal that is told has ended. */
  left(container: Container, isRemoved: bool): void {
    this.containers -= 1;
    this.paused = false;
    if (this.dropped) return;
    if (isRemoved && !this.quiet) this.main.text(` ---> Removed intermediate container ${container.shortId}\n`);
    this.pass();
  }

  private add(entry: Entry): void {
    this.entries.push(entry);
    this.pass();
  }

  private pass(): void {
    if (this.passing || !this.isOpen) return;
    this.passing = true;
    while (this.entries.length > 0 && !this.paused) {
      if (this.main.isCrowded) this.awaitRoom();
      else this.passOn(this.entries.shift());
    }
    this.passing = false;
    while (this.paces.length > 0 && !this.isCrowded) this.paces.shift().roomCame();
    if (this.paces.length > 0) this.awaitRoom();
    if (this.isTold) this.reader!.outputTold();
  }

  /** Before the turn of the stage no room can come, and after a removal it is looked at again. */
  private awaitRoom(): void {
    if (!this.isOpen || this.paused || !this.main.isCrowded) return;
    this.paused = true;
    this.main.whenRoom(this);
  }

  private passOn(entry: Entry): void {
    const log = entry.log;
    const leaving = entry.leaving;
    this.bytes -= entry.bytes.length;
    if (log !== null) this.passLog(log);
    else if (leaving !== null) this.remove(leaving, entry.silent);
    else this.main.send(entry.key, entry.bytes);
  }

  private passLog(log: LogSource): void {
    const container = containerStore.find(log.container);
    if (container === null) {
      return this.main.text("(A client has removed the container before its output could be told.)\n");
    }
    this.opensLog = !container.running;
    this.main.insert(log);
  }

  private remove(container: Container, silent: bool): void {
    if (silent || containerStore.find(container.id) === null) {
      this.containers -= 1;
      return removeStepContainer(container);
    }
    this.paused = true;
    const opensLog = this.opensLog;
    this.opensLog = false;
    if (opensLog) new LaterRemoval(container, this).begin();
    else new Leaving(container, this).begin();
  }
}
