// The daemon's flight recorder: keeps the core's latest inputs in files. It never makes the engine fail: what it cannot
// keep is reported in the log and left out.

import type { Input, StepOutputs } from "../../shared/index.js";
import type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../../driver/index.js";
import { Recorder } from "../../trace/index.js";
import type { Log } from "../log.js";
import { SegmentFiles } from "./segment-files.js";
import { traceText } from "./segment-reading.js";
import { TraceDirectory } from "./trace-directory.js";

export interface FlightRecorderOptions {
  directory: string;
  /** Bytes of everything that is kept, including incidents. */
  limit: number;
  /** Identity of the core. */
  core: string;
  log: Log;
}

/** A segment is a small part of the whole, because the oldest is removed as a whole. */
const SEGMENTS = 16;
const SEGMENT_BYTES = 4 << 20;
/** How long steps wait to be written, for more steps or for an idle moment. */
const GATHER_MS = 10;
/**
 * How long the records of an opened engine wait at most if they are many: clients wait for the engine, and the line takes
 * long. If the engine is killed meanwhile, the trace lacks this start; its records are kept, and the next engine starts
 * from them.
 */
const OPENING_MS = 500;
/** Records with fewer bytes take about a millisecond, and their line does not wait. */
const MANY_BYTES = 1 << 20;
/**
 * This many steps are written together, after the turn of the event loop in which they happened. It takes about 0.1 ms.
 */
const BATCH = 32;
/** Bytes of answers that are buffered for this. */
const MOST_BYTES = 1 << 20;
/** How many steps of one turn are buffered before they are written. */
const MOST_DEFERRED = 500;

export class FlightRecorder implements Observer {
  readonly directory: TraceDirectory;
  /** Number of the newest instance that was recorded before. */
  readonly epoch: number;
  readonly #limit: number;
  readonly #files: SegmentFiles;
  readonly #recorder: Recorder;
  #later: (() => void)[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;
  #lastEpoch: number;

  /** Throws if it cannot write. */
  constructor({ directory, limit, core, log }: FlightRecorderOptions) {
    this.#limit = limit;
    this.directory = new TraceDirectory(directory);
    this.directory.make();
    this.epoch = this.#lastEpoch = this.directory.lastEpoch();
    this.#files = new SegmentFiles({ directory: this.directory, limit, log });
    this.#recorder = new Recorder({
      core,
      sink: this.#files,
      inputs: Infinity,
      bytes: Math.min(SEGMENT_BYTES, limit / SEGMENTS),
      // In addition to its snapshot. With normal compression (pages shrink to a sixth) this makes less than half of the
      // limit. If it makes more, the files end the segment earlier.
      mostBytes: limit / 4,
      pageBytes: limit / 4,
      segments: Infinity,
      first: (this.directory.segments().at(-1)?.number ?? 0) + 1,
      later: (work) => this.#defer(work),
    });
  }

  opened(step: ObservedStep, opening: Opening): void {
    this.#lastEpoch = step.epoch;
    if (hasMany(opening)) this.#afterClients();
    this.#recorder.opened(step, opening);
  }

  stepped(step: ObservedStep, input: Input): void {
    this.#bytes += bytesOf(step.outputs);
    this.#recorder.stepped(step, input);
  }

  rested(rest: ObservedRest): void {
    this.#recorder.rested(rest);
  }

  lost(epoch: number, error: unknown, during?: Attempt): void {
    this.#lastEpoch = epoch;
    this.#recorder.lost(epoch, error, during);
  }

  /** Keeps the newest segment for an incident. Resolves with its file; null if nothing is kept. */
  async keep(incident: string): Promise<string | null> {
    const { segment } = this.#recorder;
    await this.#flush();
    try {
      this.directory.keep(segment, incident, this.#limit / 2);
      return this.directory.incidentFile(incident);
    } catch {
      return null;
    }
  }

  /** The text of the trace so far. */
  async *text(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    yield* traceText(this.directory.segments(), true);
  }

  async close(): Promise<void> {
    this.#recorder.lost(this.#lastEpoch, "the daemon was ended");
    this.#makeUp();
    await this.#files.close();
  }

  /** After everything else in this turn of the event loop, so that the client has its answer by then. */
  #defer(work: () => void): void {
    if (this.#later.length >= MOST_DEFERRED) this.#makeUp();
    this.#later.push(work);
    if (this.#later.length >= BATCH || this.#bytes > MOST_BYTES) this.#soon();
    else this.#timer ??= setTimeout(() => this.#makeUp(), GATHER_MS).unref();
  }

  /** What waits already is written now, and what follows in half a second, or earlier if it becomes much. */
  #afterClients(): void {
    this.#makeUp();
    this.#timer = setTimeout(() => this.#makeUp(), OPENING_MS).unref();
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#makeUp());
  }

  #makeUp(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isDue = false;
    this.#bytes = 0;
    const works = this.#later;
    this.#later = [];
    for (const work of works) work();
  }

  #flush(): Promise<void> {
    this.#makeUp();
    return this.#files.flush();
  }
}

function hasMany({ records }: Opening): boolean {
  let bytes = 0;
  for (const { value } of records) bytes += value.length;
  return bytes > MANY_BYTES;
}

function bytesOf({ replies }: StepOutputs): number {
  let bytes = 0;
  for (const { command } of replies) {
    if (command.tag === "whole" || command.tag === "bare") bytes += command.val.body.length;
    else if (command.tag === "chunk") bytes += command.val.length;
  }
  return bytes;
}
