// The daemon's flight recorder: what the core was told lately, in files. It never fails the engine: what it cannot keep
// it says in the log, and does without.

import type { Input } from "../../shared/host.js";
import type { Attempt, ObservedRest, ObservedStep, Observer, Opening } from "../../driver/index.js";
import type { StepOutputs } from "../../shared/outputs.js";
import { Recorder } from "../../trace/recorder.js";
import type { Log } from "../log.js";
import { SegmentFiles } from "./segment-files.js";
import { traceText } from "./segment-reading.js";
import { TraceDirectory } from "./trace-directory.js";

export interface FlightRecorderOptions {
  directory: string;
  /** Bytes of all that is kept, incidents included. */
  limit: number;
  /** Identity of the core. */
  core: string;
  log: Log;
}

/** A segment is a small part of what is kept, for the oldest goes in whole. */
const SEGMENTS = 16;
const SEGMENT_BYTES = 4 << 20;
/** Steps wait so long to be written down, for others or for a moment in which nobody asks. */
const GATHER_MS = 10;
/** So many are written down together, behind the turn of the event loop in which there are: in some tenth of 1 ms. */
const BATCH = 32;
/** Bytes of answers that are kept in mind for it. */
const MOST_BYTES = 1 << 20;
/** Steps of one turn that are kept in mind before they are written down. */
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

  /** Throws where nothing can be written. */
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
      // Beside its snapshot. Of what deflates as it does as a rule (pages to a sixth) that makes less than half of the limit;
      // where it makes more, the files end the segment before.
      mostBytes: limit / 4,
      pageBytes: limit / 4,
      segments: Infinity,
      first: (this.directory.segments().at(-1)?.number ?? 0) + 1,
      later: (work) => this.#defer(work),
    });
  }

  opened(step: ObservedStep, opening: Opening): void {
    this.#lastEpoch = step.epoch;
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

  /** Keeps the newest segment as that of an incident. Resolves with its file; null where nothing is kept. */
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

  /** The text of the trace up to now. */
  async *text(): AsyncGenerator<Uint8Array> {
    await this.#flush();
    yield* traceText(this.directory.segments(), true);
  }

  async close(): Promise<void> {
    this.#recorder.lost(this.#lastEpoch, "the daemon was ended");
    this.#makeUp();
    await this.#files.close();
  }

  /** Behind all that this turn of the event loop does: whoever asked has the answer by then. */
  #defer(work: () => void): void {
    if (this.#later.length >= MOST_DEFERRED) this.#makeUp();
    this.#later.push(work);
    if (this.#later.length >= BATCH || this.#bytes > MOST_BYTES) this.#soon();
    else this.#timer ??= setTimeout(() => this.#makeUp(), GATHER_MS).unref();
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

function bytesOf({ replies }: StepOutputs): number {
  let bytes = 0;
  for (const { command } of replies) {
    if (command.tag === "whole" || command.tag === "bare") bytes += command.val.body.length;
    else if (command.tag === "chunk") bytes += command.val.length;
  }
  return bytes;
}
