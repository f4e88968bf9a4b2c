// A session: an engine on a simulated host, its notebook, and the timeline of everything that happened.

import type { ReadonlySignal } from "@preact/signals-core";
import type { engine } from "../../shared/index.js";
import type { CompiledCore } from "../../driver/index.js";
import type { Fault, FileSystem, Pace, SetFault } from "../../simulated/index.js";
import type { EnteredAction } from "./action.js";
import type { Cell } from "./cell.js";
import type { Exchange } from "./exchange.js";
import type { RecordedExchange } from "./recorded/recorded-exchange.js";
import type { WrittenRequest } from "./request.js";
import type { Step, World } from "../../timeline/index.js";

/** A core and its name: the SHA-256 of its wasm in hex. */
export interface NamedCore {
  readonly compiled: CompiledCore;
  readonly hash: string;
}

export interface SessionOptions {
  core: NamedCore;
  /** 0 if not given. */
  seed?: number;
  /** `{ times: 1 }` if not given. */
  pace?: Pace;
  /** Images that exist from the start; `["busybox:latest"]` if not given. */
  images?: readonly string[];
}

/** `opening`: at the start, and after a crash until it answers. `down`: crashed. `closed`: over. */
export type EngineState = "opening" | "open" | "down" | "closed";

/** A line of a container's log. */
export interface LogEntry {
  /** Nanoseconds since 1970. */
  readonly at: bigint;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** A session recorded elsewhere, for viewing only. */
export interface Recording {
  /** Name of the file. */
  readonly name: string;
  /** Whether values are hidden in it. */
  readonly shared: boolean;
  /** Remarks for the visitor, as sentences. */
  readonly remark: string;
  /** The request that a step belongs to; null if there is none. */
  exchangeOf(step: Step): RecordedExchange | null;
}

/** A look at a published port. */
export interface Visit {
  readonly port: number;
  /** Not given for the loopback. */
  readonly address?: string;
  /** The answer as text, head included, or why there is none; null until it has come. */
  readonly answer: string | null;
}

export interface Session {
  /** Null for a live session. */
  readonly recording: Recording | null;
  readonly core: NamedCore;
  readonly seed: number;
  readonly images: readonly string[];

  // The notebook.
  readonly cells: ReadonlySignal<readonly Cell[]>;
  /** Exchanges of all cells, removed ones included, in the order of sending. */
  readonly exchanges: ReadonlySignal<readonly Exchange[]>;
  /** Adds a cell at `place`; at the end if not given. */
  add(request: WrittenRequest, place?: number): Cell;
  edit(cell: string, request: Partial<WrittenRequest>): void;
  duplicate(cell: string): Cell;
  /** Removes a cell. Requests that it sent stay sent. */
  remove(cell: string): void;
  /** Moves a cell to another place in the notebook only. To change the past, see `branchWith`. */
  move(cell: string, place: number): void;

  // Actions. Each resolves when it has been entered.
  send(cell: string): Promise<Exchange>;
  type(exchange: number, text: string): Promise<void>;
  endInput(exchange: number): Promise<void>;
  cancel(exchange: number): Promise<void>;
  /** Strikes `times` times; for ever if not given. */
  inject(fault: Fault, times?: number): Promise<void>;
  /** Asks a published port for its page, at this address if it is not on the loopback: the answer comes in `visits`. */
  visit(port: number, address?: string): Promise<void>;
  lift(fault: Fault["kind"]): Promise<void>;
  crash(): Promise<void>;
  /** Resolves when the engine answers again. */
  reopen(): Promise<void>;
  readonly actions: ReadonlySignal<readonly EnteredAction[]>;
  /** In the order of asking. */
  readonly visits: ReadonlySignal<readonly Visit[]>;
  readonly faults: ReadonlySignal<readonly SetFault[]>;
  readonly engine: ReadonlySignal<EngineState>;

  // Time.
  readonly pace: ReadonlySignal<Pace>;
  setPace(pace: Pace): void;
  /** Runs the world's next event, whatever the pace. False if there is none. */
  step(): Promise<boolean>;
  /** Lets this many nanoseconds of the world pass. */
  advance(ns: bigint): Promise<void>;
  /** When the world's next event is due, in monotonic nanoseconds; null if there is none. */
  readonly next: bigint | null;
  /**
   * Changes when an event has run or `next` is another, at most 20 times a second. In between, the time follows the
   * pace.
   */
  readonly changes: ReadonlySignal<number>;
  /** The current time: monotonic nanoseconds of the world, and time of day. Call again whenever a clock is drawn. */
  now(): { monotonic: bigint; wall: bigint };

  // The timeline.
  readonly steps: ReadonlySignal<readonly Step[]>;
  /** The selected step; null for now. */
  readonly looking: ReadonlySignal<number | null>;
  /** Shows the world as it was after a step; null returns to now. Nothing runs again. */
  goTo(step: number | null): void;
  /** The world at the selected moment. */
  readonly world: ReadonlySignal<World>;
  /** The step whose changes are highlighted: the selected one, or the last. */
  readonly lit: ReadonlySignal<Step | null>;
  /** The containers' state diagram. */
  readonly rules: readonly engine.Rule[];
  /** Lines written up to the selected moment. */
  logs(container: string): Promise<readonly LogEntry[]>;
  /** The current files; null if it has none. */
  files(container: string): FileSystem | null;

  /**
   * A session that repeats everything up to and including the moment of a step (null for now), and continues from
   * there. This session stays as it is.
   */
  branch(step: number | null): Promise<Session>;
  /**
   * A session in which a cell's request comes before exchange `before`: earlier actions are repeated at the same
   * moments, then the cell is sent, then all later requests in their order.
   */
  branchWith(cell: string, before: number): Promise<Session>;
  close(): Promise<void>;
}

/** Resolves when the engine answers and the first images are loaded. */
export type CreateSession = (options: SessionOptions) => Promise<Session>;
