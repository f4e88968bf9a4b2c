// The part of a build's stream that one stage writes. Stages are built side by side, but a client reads them one after the
// other: until the turn of a stage comes, its lines wait here, and its containers stay, since they have the logs.

import { LogSource } from "../../../../../build/bindings/types";
import { Call } from "../../../call";
import { Container } from "../../../container/container";
import { containerStore } from "../../../container/store";
import { ProgressStream, RoomReader } from "../../../image/progress-stream";
import { HeldOutput, HeldReader } from "./held-output";
import { keepStepContainer, RemovalReader, removeStepContainer, tellRemoval } from "./leaving";

const NOTHING = new Uint8Array(0);

/** Waits until a stage has told everything. */
export interface OutputReader {
  outputTold(): void;
}

/** Tells what becomes of the containers whose logs are told. */
export interface FateTeller {
  /** It is removed, after what it wrote was told. */
  removed(container: string): void;
  /** What it wrote cannot be told: a client has removed it. */
  lost(): void;
  /** What it wrote waits for the client to read: it is removed after that. False if it can go now. */
  takesOver(container: Container): bool;
}

/** What becomes of a container as soon as everything before it is told. */
enum Fate {
  Removed,
  /** Nothing is told about the removal. */
  RemovedSilently,
  /** From now on it is an ordinary container. */
  Kept,
}

/** A line, a log, or a container. */
class Entry {
  log: LogSource | null = null;
  container: Container | null = null;
  fate: Fate = Fate.Removed;

  constructor(
    /** As in `ProgressStream`. */
    readonly key: string,
    public bytes: Uint8Array,
  ) {}
}

export class StageOutput extends ProgressStream implements RoomReader, RemovalReader, HeldReader {
  private entries: Entry[] = [];
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
    /** The stream of the build. */
    private readonly main: ProgressStream,
    private readonly teller: FateTeller,
    private readonly untold: HeldOutput,
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
    if (!this.isOpen) return this.untold.isTooMuch;
    // What others hold waits for this one.
    return this.main.isCrowded || (this.entries.length > 0 && this.untold.isTooMuch);
  }

  whenRoom(pace: RoomReader): void {
    this.paces.push(pace);
    this.awaitRoom();
  }

  heldLess(): void {
    this.goOn();
  }

  roomCame(): void {
    this.paused = false;
    this.pass();
  }

  send(key: string, bytes: Uint8Array): void {
    if (this.dropped) return;
    for (let i = this.entries.length - 1; i >= 0 && key.length > 0; i--) {
      if (this.entries[i].key != key) continue;
      this.untold.add(bytes.length - this.entries[i].bytes.length, 0);
      this.entries[i].bytes = bytes;
      return;
    }
    this.untold.add(bytes.length, 0);
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
    if (!this.dropped && this.teller.takesOver(container)) return;
    if (this.dropped || this.isTold) return removeStepContainer(container);
    this.untold.add(0, 1);
    this.addFate(container, silent ? Fate.RemovedSilently : Fate.Removed);
  }

  /** Makes the container of a step an ordinary one when its log is told. */
  keep(container: Container): void {
    if (this.dropped || this.isTold) return keepStepContainer(container);
    this.addFate(container, Fate.Kept);
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
    for (let i = 0; i < entries.length; i++) this.dropEntry(entries[i]);
  }

  private dropEntry(entry: Entry): void {
    const container = entry.container;
    this.untold.add(-entry.bytes.length, 0);
    if (container === null) return;
    if (entry.fate == Fate.Kept) return keepStepContainer(container);
    this.untold.add(0, -1);
    removeStepContainer(container);
  }

  tellsRemovals(): bool {
    return !this.dropped;
  }

  /** A removal that is told has ended. */
  left(container: Container, isRemoved: bool): void {
    this.untold.add(0, -1);
    this.paused = false;
    if (this.dropped) return;
    if (isRemoved) this.teller.removed(container.shortId);
    this.pass();
  }

  private addFate(container: Container, fate: Fate): void {
    const entry = new Entry("", NOTHING);
    entry.container = container;
    entry.fate = fate;
    this.add(entry);
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
    this.goOn();
    this.untold.tellRoom();
    if (this.isTold) this.reader!.outputTold();
  }

  private goOn(): void {
    while (this.paces.length > 0 && !this.isCrowded) this.paces.shift().roomCame();
    if (this.paces.length > 0) this.awaitRoom();
  }

  /** After a removal it is looked at again. */
  private awaitRoom(): void {
    if (!this.isOpen) return this.untold.whenRoom(this);
    if (this.paused || !this.main.isCrowded) return;
    this.paused = true;
    this.main.whenRoom(this);
  }

  private passOn(entry: Entry): void {
    const log = entry.log;
    const container = entry.container;
    this.untold.add(-entry.bytes.length, 0);
    if (log !== null) this.passLog(log);
    else if (container === null) this.main.send(entry.key, entry.bytes);
    else if (entry.fate == Fate.Kept) keepStepContainer(container);
    else this.remove(container, entry.fate == Fate.RemovedSilently);
  }

  private passLog(log: LogSource): void {
    const container = containerStore.find(log.container);
    if (container === null) return this.teller.lost();
    this.opensLog = !container.running;
    this.main.insert(log);
  }

  private remove(container: Container, silent: bool): void {
    if (silent || containerStore.find(container.id) === null) {
      this.untold.add(0, -1);
      return removeStepContainer(container);
    }
    this.paused = true;
    const opensLog = this.opensLog;
    this.opensLog = false;
    tellRemoval(container, this, opensLog);
  }
}
