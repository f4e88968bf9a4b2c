// A session: an engine on a simulated host, the notebook that speaks to it, and the timeline of all that happened.

import type { ReadonlySignal } from "@preact/signals-core";
import type { engine } from "../../shared/host.js";
import type { CompiledCore } from "../../driver/index.js";
import type { Fault, SetFault } from "../../simulated/faults.js";
import type { FileSystem } from "../../simulated/files/file-system.js";
import type { Pace } from "../../simulated/time.js";
import type { EnteredAction } from "./action.js";
import type { Cell } from "./cell.js";
import type { Exchange } from "./exchange.js";
import type { RecordedExchange } from "./recorded/recorded-exchange.js";
import type { WrittenRequest } from "./request.js";
import type { Step } from "../../timeline/step.js";
import type { World } from "../../timeline/world.js";

/** A core and what it is called by: SHA-256 of its wasm in hex. */
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
  /** Images that are there from the start; `["busybox:latest"]` if not given. */
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

/** What was recorded elsewhere, and is only looked at here. */
export interface Recording {
  /** Of the file. */
  readonly name: string;
  /** Values are hidden in it. */
  readonly shared: boolean;
  /** What is to be known of it: sentences. */
  readonly remark: string;
  /** The request that a step belongs to; null for none. */
  exchangeOf(step: Step): RecordedExchange | null;
}

export interface Session {
  /** Null for a session that can be gone on with. */
  readonly recording: Recording | null;
  readonly core: NamedCore;
  readonly seed: number;
  readonly images: readonly string[];

  // The notebook.
  readonly cells: ReadonlySignal<readonly Cell[]>;
  /** Of all cells, removed ones too, in the order of sending. */
  readonly exchanges: ReadonlySignal<readonly Exchange[]>;
  /** Puts a cell at `place` (at the end if not given). */
  add(request: WrittenRequest, place?: number): Cell;
  edit(cell: string, request: Partial<WrittenRequest>): void;
  duplicate(cell: string): Cell;
  /** The requests that it sent were sent all the same. */
  remove(cell: string): void;
  /** Puts a cell at another place; only the notebook changes. See `branchWith` for changing the past. */
  move(cell: string, place: number): void;

  // Actions. Each resolves when it has been entered.
  send(cell: string): Promise<Exchange>;
  type(exchange: number, text: string): Promise<void>;
  endInput(exchange: number): Promise<void>;
  cancel(exchange: number): Promise<void>;
  /** Strikes `times` times; for ever if not given. */
  inject(fault: Fault, times?: number): Promise<void>;
  lift(fault: Fault["kind"]): Promise<void>;
  crash(): Promise<void>;
  /** Resolves when the engine answers again. */
  reopen(): Promise<void>;
  readonly actions: ReadonlySignal<readonly EnteredAction[]>;
  readonly faults: ReadonlySignal<readonly SetFault[]>;
  readonly engine: ReadonlySignal<EngineState>;

  // Time.
  readonly pace: ReadonlySignal<Pace>;
  setPace(pace: Pace): void;
  /** Runs the world's next event, whatever the pace; false if there is none. */
  step(): Promise<boolean>;
  /** Lets so many nanoseconds of the world pass. */
  advance(ns: bigint): Promise<void>;
  /** When the world's next event is due, in monotonic nanoseconds; null when nothing is to come. */
  readonly next: bigint | null;
  /** Now: monotonic nanoseconds of the world and time of day. Ask again whenever a clock is drawn. */
  now(): { monotonic: bigint; wall: bigint };

  // The timeline.
  readonly steps: ReadonlySignal<readonly Step[]>;
  /** Step that is looked at; null for now. */
  readonly looking: ReadonlySignal<number | null>;
  /** Looks at the world as it was after a step; null comes back to now. Nothing is run again. */
  goTo(step: number | null): void;
  /** As it is looked at. */
  readonly world: ReadonlySignal<World>;
  /** The step whose changes are to be lit: the one looked at, or the last. */
  readonly lit: ReadonlySignal<Step | null>;
  /** The containers' state diagram. */
  readonly rules: readonly engine.Rule[];
  /** Lines written up to the moment looked at. */
  logs(container: string): Promise<readonly LogEntry[]>;
  /** As they are now; null if it has none. */
  files(container: string): FileSystem | null;

  /**
   * A session that did the same up to and including a step, and all else that happened at its moment, and goes on from
   * there; null: up to now. This one stays as it is.
   */
  branch(step: number | null): Promise<Session>;
  /**
   * A session in which a cell's request comes before exchange `before`: what was done before that is done again at the
   * same moments, then the cell is sent, then all the rest is sent again in its order.
   */
  branchWith(cell: string, before: number): Promise<Session>;
  close(): Promise<void>;
}

/** Resolves when the engine answers and the first images are there. */
export type CreateSession = (options: SessionOptions) => Promise<Session>;
