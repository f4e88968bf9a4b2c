// The interface between driver and host: one member for each interface of the core's world, and the data plane between
// them.

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

/** Reports the progress of a command. The driver turns it into a `progress` input. */
export type Report = (phase: engine.Phase, current: bigint, total: bigint) => void;

/**
 * Carries out one command. Resolves with its result. Rejects with a `HostFailure` (`failure.ts`) for errors that a host
 * may expect. Any other exception is a defect, and the core gets it as `internal`. The driver passes commands on one
 * subject one after the other, in order (`hosts/driver/order.ts`).
 */
export type Perform<Command> = (op: Operation, command: Command, report: Report) => Promise<Outcome>;

/** The parts of a transaction. */
export type RecordChange = records.RecordCommandPut | records.RecordCommandDelete | records.RecordCommandAppend;

/** Reading a journal: see `core/wit/records.wit`. A reader never holds all of it in memory. */
export interface Journal {
  /** Where it ends; `{ next: 1n, at: 0n }` if it has not begun. */
  end(): Promise<engine.JournalEnd>;
  /** Rejects with a `HostFailure`. */
  read(reading: records.JournalReading): Promise<engine.JournalPage>;
}

/** Durable records, and the journal. */
export interface RecordStore {
  /** All records, in the order of their keys. For lost ones see `stored` in `engine.wit`. */
  load(): Promise<engine.Stored[]>;
  /** The entries of `append` that are kept. A store has a size limit and removes the oldest. */
  readonly journal: Journal;
  /**
   * Resolves when it is best to start the next transaction: changes until then are included. Missing: at once. Never
   * rejects.
   */
  gather?(): Promise<void>;
  /**
   * One transaction. Resolves when it is flushed to disk, not merely committed. Rejects if it failed. Either all of it
   * is kept or nothing, as `load` shows.
   */
  commit(changes: RecordChange[]): Promise<void>;
  close(): Promise<void>;
}

/** Time; a host may have its own. */
export interface Clock {
  /**
   * Its monotonic time continues from one engine to the next, for as long as runs may outlive engines: see `types.wit`.
   */
  now(): types.Instant;
  /** Calls `wake` at the monotonic time `at`, in nanoseconds. Returns a function that cancels it. */
  at(at: bigint, wake: () => void): () => void;
}

/**
 * What is sent to a client: usually a command of the core. `cut`: the core that was to begin or end an answer is gone.
 * The connection is broken off, so that the client does not take a part for the whole.
 */
export type ReplyOrCut = replies.ReplyCommand | { tag: "cut" };

/** Sends answers. Never throws and never waits. Drops what can no longer be sent. */
export interface Replies {
  perform(request: RequestId, command: ReplyOrCut): void;
}

/**
 * A container's log over all its runs, in conmon's k8s-file format: `RFC3339NANO stdout|stderr P|F TEXT\n`, P for a
 * part of a line, F for its end. `streams/log-lines.ts` reads it. The bytes of the TEXTs are exactly what the process
 * wrote. If a run's stream ends with a P, an E follows, without text and with the time at which the stream ended.
 * Otherwise the next run would seem to continue the line. The E is there before the run's exit is reported.
 */
export interface LogBytes {
  /** Bytes written so far; 0 if there is no log yet. It never decreases, even when the oldest bytes are removed. */
  size(): Promise<number>;
  /** Offset of the oldest byte that is still there: the beginning of a line. */
  start(): Promise<number>;
  /**
   * Reads bytes from `offset`, at most `into.length`. Resolves to their number, to 0 at the end, and to -1 if they were
   * removed. Bytes after the last one that was read are kept for the reader as long as possible; with `from`, bytes
   * from there on, because the reader will ask for them again.
   */
  read(offset: number, into: Uint8Array, from?: number): Promise<number>;
  /** Calls `grown` whenever there may be more to read. Returns a function that stops that. */
  watch(grown: () => void): () => void;
  close(): Promise<void>;
}

/** A process's stdin. */
export interface Stdin {
  /** Resolves when the bytes have been accepted. */
  write(bytes: Uint8Array): Promise<void>;
  /** The client's half-close. */
  end(): void;
  /** Releases it without ending the process's stdin for others. */
  release(): void;
}

/** A piece of a process's output. */
export interface OutputPiece {
  stream: "stdout" | "stderr";
  bytes: Uint8Array;
}

/** The streams of an exec. Input before its start is kept until then. */
export interface ExecStdio {
  readonly stdin: Stdin;
  /**
   * Its output as it arrives. Ends after the last byte, or if the exec was not started. A slow reader slows the process
   * down. Call it only once.
   */
  output(): AsyncIterable<OutputPiece>;
  /** Nobody reads any more: later output is dropped, and the process runs on. */
  release(): void;
}

/** Sources for bytes of replies that the core names and never sees, and destinations for clients' bytes. */
export interface Stdio {
  log(container: string): Promise<LogBytes>;
  /** Bound to one run. Input before the launch is kept until then. */
  stdin(container: string, run: number): Stdin;
  /** Bound to one exec, before it is started. Rejects with a `HostFailure`. */
  exec(exec: string): Promise<ExecStdio>;
  /** A tar, compressed as the source says. An error on the way breaks the reply off. */
  archive(source: replies.ArchiveSource): AsyncIterable<Uint8Array>;
  /** A tar of a container's own files. */
  export(source: replies.ExportSource): AsyncIterable<Uint8Array>;
  /** An archive of images. If a layer's tar has changed, the reply is broken off. */
  saved(members: replies.SavedMember[]): AsyncIterable<Uint8Array>;
}

/** The bytes of a request as they arrive. */
export interface RequestBytes extends AsyncIterable<Uint8Array> {
  /** The memory of each piece is its reader's, who may transfer it to another thread. Otherwise it may be anybody's. */
  readonly isOwn?: boolean;
}

/** Bodies of requests, which the host can take once each. The engine provides them. */
export interface Bodies {
  take(request: RequestId): RequestBytes;
  /**
   * Files of a session's client, as a tar. `before`: of what has not changed since, the client sends nothing. `came` is
   * told how many more bytes the client has sent.
   */
  session(
    files: content.SessionFiles,
    before: SentBefore | null,
    came: (bytes: number) => void,
  ): AsyncIterable<Uint8Array>;
  /** An archive of a session's client: a tar, plain or compressed. */
  upload(upload: content.SessionUpload): AsyncIterable<Uint8Array>;
  /** SECRET. Credentials of a session's client. Rejects with a `HostFailure`. */
  credentials(sought: content.SoughtCredentials, signal: AbortSignal): Promise<types.Credentials>;
  /** SECRET. A secret of a session's client, of no more bytes than the limit. Rejects with a `HostFailure`. */
  secret(sought: content.SoughtSecret, signal: AbortSignal): Promise<Uint8Array>;
  /** Gives a session's client what it gets. Resolves when it has all of it. Rejects with a `HostFailure`. */
  deliver(session: RequestId, delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Asks a session's client whether it has an agent. Rejects with a `HostFailure`. */
  agent(sought: content.SoughtAgent, signal: AbortSignal): Promise<SshAgent>;
  /** A small blob of a session's client, whose digest was checked. Rejects with a `HostFailure`. */
  document(sought: content.ClientDocument, signal: AbortSignal): Promise<Uint8Array>;
  /** A blob of a session's client as it arrives, unchecked. */
  blob(blob: content.ClientBlob): AsyncIterable<Uint8Array>;
  /** Puts blobs into a store of a session's client. Rejects with a `HostFailure`. */
  give(store: content.ClientStore, blobs: readonly KeptBlob[], signal: AbortSignal): Promise<void>;
}

/** A blob for a store of a session's client. */
export interface KeptBlob {
  digest: string;
  /** In bytes. It and the bytes are only asked for if the client does not have the blob. */
  size(): Promise<number>;
  bytes(): AsyncIterable<Uint8Array>;
}

/** The tar that a session's client sent for the same directory before. */
export interface SentBefore {
  /** Reads bytes from a place on; returns how many. None at the end, or if there is no such tar. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** Nanoseconds since 1970: a file with this time or a later one may have been changed while it was sent. */
  readonly settled: bigint;
  /** The tar that comes now does not have what the client lists: it is not for the next time. */
  doubt(): void;
}

/** What the client of a session gets. */
export interface Delivery {
  /** `files`: each file of the tar by itself. `bytes`: the tar as it is. */
  form: "files" | "bytes";
  tar: AsyncIterable<Uint8Array>;
  /** Which of the outputs that it has asked for. */
  output: number;
}

/** An ssh agent of a session's client. Opens a connection to it; throws if the session is over. */
export type SshAgent = () => SshConnection;

/** One connection to an ssh agent, in both directions. */
export interface SshConnection {
  /** What the agent says. Rejects if the connection breaks off. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more. Rejects if the connection is over. */
  send(bytes: Uint8Array): Promise<void>;
  /** Nothing more is sent. */
  finish(): void;
  /** Ends it at once. */
  cancel(): void;
}

/**
 * Everything that an engine needs of its world: one member for each interface that the core imports, and the arguments
 * of `open`.
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
  /** The runtimes for containers; the first is the default. */
  readonly runtimes: readonly engine.OciRuntime[];
  /** Called before every `open`, when no command is in flight any more except queries. */
  inventory(): Promise<engine.Inventory>;
  /**
   * Called by every driver that is opened on the host, before its first command; the newest driver counts. `happened`
   * takes what happens by itself, such as the end of a process (`exited`). `bodies` has the bodies of requests that
   * commands name.
   */
  listen(happened: (input: Input) => void, bodies: Bodies): void;
  /** Fresh random bytes for `open`. */
  seed(): Uint8Array;
  close(): Promise<void>;
}
