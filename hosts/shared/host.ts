// What a host is to the driver: one member per interface of the core's world, and the data plane between them.

import type * as content from "../../build/core/interfaces/coracle-engine-content.js";
import type * as engine from "../../build/core/interfaces/coracle-engine-engine.js";
import type * as failures from "../../build/core/interfaces/coracle-engine-failures.js";
import type * as networks from "../../build/core/interfaces/coracle-engine-networks.js";
import type * as processes from "../../build/core/interfaces/coracle-engine-processes.js";
import type * as records from "../../build/core/interfaces/coracle-engine-records.js";
import type * as replies from "../../build/core/interfaces/coracle-engine-replies.js";
import type * as timers from "../../build/core/interfaces/coracle-engine-timers.js";
import type * as types from "../../build/core/interfaces/coracle-engine-types.js";
import type * as volumes from "../../build/core/interfaces/coracle-engine-volumes.js";

export type { content, engine, failures, networks, processes, records, replies, timers, types, volumes };

/** Operation id; see `core/wit/types.wit`. */
export type Operation = types.Operation;
export type RequestId = types.RequestId;
export type Input = engine.Input;
export type Outcome = engine.Outcome;
export type Progress = engine.Progress;

/** Tells how far a command is; the driver turns it into a `progress` input. */
export type Report = (phase: engine.Phase, current: bigint, total: bigint) => void;

/**
 * Carries out one command. Resolves with what came of it; rejects with a `HostFailure` (`failure.ts`) for what a host
 * may expect to go wrong. Anything else thrown is a defect, and reported to the core as `internal`.
 * The driver calls it for commands on one subject one after the other, in order (`hosts/driver/order.ts`).
 */
export type Perform<Command> = (op: Operation, command: Command, report: Report) => Promise<Outcome>;

/** What a transaction is made of. */
export type RecordChange = records.RecordCommandPut | records.RecordCommandDelete | records.RecordCommandAppend;

/** What is read of a journal: see `core/wit/records.wit`. Never held whole in memory by whoever reads. */
export interface Journal {
  /** Where it ends; where it has not begun, `{ next: 1n, at: 0n }`. */
  end(): Promise<engine.JournalEnd>;
  /** Rejects with a `HostFailure`. */
  read(reading: records.JournalReading): Promise<engine.JournalPage>;
}

/** Durable records, and the journal. */
export interface RecordStore {
  /** All records, in the order of their keys; what is lost of them as `engine.wit` says of `stored`. */
  load(): Promise<engine.Stored[]>;
  /** What `append` has told, as far as it is kept: a store is told how large it may grow and takes the oldest away. */
  readonly journal: Journal;
  /**
   * Resolves when the next transaction is best begun: what is asked for until then goes along with it. Missing: at once.
   * Never rejects.
   */
  gather?(): Promise<void>;
  /**
   * One transaction. Resolves when it is flushed to disk, not merely committed. Rejects when it was not: all of it is kept
   * or nothing, as `load` tells.
   */
  commit(changes: RecordChange[]): Promise<void>;
  close(): Promise<void>;
}

/** Time, so that a host can have its own. */
export interface Clock {
  /** Its monotonic time goes on from one engine to the next for as long as runs may outlive engines: see `types.wit`. */
  now(): types.Instant;
  /** Calls `wake` at the monotonic time `at`, in nanoseconds. Returns what calls it off. */
  at(at: bigint, wake: () => void): () => void;
}

/**
 * What is sent: what the core says. Or, where the core is gone that was to end an answer or to begin it, `cut`: the
 * connection is broken off, so that the client cannot take what it has for all.
 */
export type ReplyOrCut = replies.ReplyCommand | { tag: "cut" };

/** Sends answers. Never throws, never waits; what cannot be sent any more is dropped. */
export interface Replies {
  perform(request: RequestId, command: ReplyOrCut): void;
}

/**
 * A container's log over all its runs, in conmon's k8s-file form: `RFC3339NANO stdout|stderr P|F TEXT\n`, P for a part
 * of a line, F for its end. `streams/log-lines.ts` reads it; the bytes of the TEXTs are exactly what the process wrote.
 * A run's stream that ends with a P is followed by an E, without text and with the time at which the stream ended, or
 * the next run would seem to go on with the line. It is there before the run's exit is told.
 */
export interface LogBytes {
  /** Bytes written so far; 0 when there is no log yet. It never goes back, though the oldest bytes are thrown away. */
  size(): Promise<number>;
  /** Offset of the oldest byte that is still there: the beginning of a line. */
  start(): Promise<number>;
  /**
   * Bytes from `offset`, at most `into.length`; resolves to how many were read, 0 at the end, -1 where they have been
   * thrown away. What comes after the last byte that was read is kept for the reader as long as it can be; with `from`,
   * where what it will ask for again begins, what comes from there on.
   */
  read(offset: number, into: Uint8Array, from?: number): Promise<number>;
  /** Calls `grown` whenever there may be more to read. Returns what stops that. */
  watch(grown: () => void): () => void;
  close(): Promise<void>;
}

/** A process's stdin. */
export interface Stdin {
  /** Resolves when the bytes have been taken. */
  write(bytes: Uint8Array): Promise<void>;
  /** The client's half-close. */
  end(): void;
  /** Lets go of it without ending the process's stdin for others. */
  release(): void;
}

/** A piece of what a process has written. */
export interface OutputPiece {
  stream: "stdout" | "stderr";
  bytes: Uint8Array;
}

/** An exec's ends. What is written before its start is held until then. */
export interface ExecStdio {
  readonly stdin: Stdin;
  /**
   * What it writes, as it comes; ends after its last byte, or when the exec was not started. Who reads slowly holds the
   * process up. Asked for once.
   */
  output(): AsyncIterable<OutputPiece>;
  /** Nobody reads any more: what is still written is thrown away, and the process goes on. */
  release(): void;
}

/** Where the bytes of replies come from that the core names and never sees, and where those of clients go. */
export interface Stdio {
  log(container: string): Promise<LogBytes>;
  /** Bound to one run; what is written before the launch is held until then. */
  stdin(container: string, run: number): Stdin;
  /** Bound to one exec, before it is started. Rejects with a `HostFailure`. */
  exec(exec: string): Promise<ExecStdio>;
  /** A tar, compressed as the source says. What goes wrong on the way breaks the reply off. */
  archive(source: replies.ArchiveSource): AsyncIterable<Uint8Array>;
  /** A tar of a container's own files. */
  export(source: replies.ExportSource): AsyncIterable<Uint8Array>;
  /** An archive of images. A layer's tar that is not what it was breaks the reply off. */
  saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array>;
}

/** Bodies of requests, handed out once each. The engine's side gives them to the host. */
export interface Bodies {
  take(request: RequestId): AsyncIterable<Uint8Array>;
}

/**
 * Everything that an engine needs of its world: one member for each interface that the core imports, and what `open`
 * wants to know.
 */
export interface Host {
  timers: Clock;
  records: RecordStore;
  processes: Perform<processes.ProcessCommand>;
  content: Perform<content.ContentCommand>;
  networks: Perform<networks.NetworkCommand>;
  volumes: Perform<volumes.VolumeCommand>;
  replies: Stdio;
  /** What the machine is and can do. */
  readonly machine: engine.Machine;
  /** What it can run containers with; the first is the default. */
  readonly runtimes: readonly engine.OciRuntime[];
  /** Asked before every `open`, when no command is in flight any more but some that only ask. */
  inventory(): Promise<engine.Inventory>;
  /**
   * Called by every driver that is opened on the host, before it asks for anything; the newest counts. Where the host
   * puts what happens by itself (a process ended: `exited`), and where it takes the bodies of requests from that
   * commands name.
   */
  listen(happened: (input: Input) => void, bodies: Bodies): void;
  /** Fresh random bytes for `open`. */
  seed(): Uint8Array;
  close(): Promise<void>;
}
