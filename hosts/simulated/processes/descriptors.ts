// A process's use of its file descriptors. Between operations the process may wait, be stopped or be killed.

import type { Input, Output } from "../program.js";
import { Killed } from "../program.js";
import { SIGPIPE } from "./signals.js";
import { ForeignSink, ForeignSource, type Sink, type Source } from "./streams.js";

/** Processor time of a system call, and of each byte, in nanoseconds. */
const CALL_NS = 2_000;
const BYTE_NS = 1;

const encoder = new TextEncoder();

/** The process that owns the descriptors. */
export interface Holder {
  /** Uses a processor for this many nanoseconds. */
  work(ns: number): Promise<void>;
  /** Waits until the callback passed to `register` is called. Rejects with `Killed`. */
  wait(register: (wake: () => void) => () => void): Promise<void>;
  /** Allocates this many bytes of memory. Throws `Killed` if there are too few. */
  allocate(bytes: number): void;
  /** Delivers a signal that the process causes itself. False if the process survives. */
  raise(signal: number): boolean;
}

export class ProcessInput implements Input {
  constructor(
    readonly process: Holder,
    readonly source: Source,
  ) {}

  get tty(): boolean {
    return this.source.tty;
  }

  async read(): Promise<Uint8Array | null> {
    await this.process.work(CALL_NS);
    for (;;) {
      const piece = this.source.take();
      if (piece !== undefined) {
        if (piece) await this.process.work(piece.length * BYTE_NS);
        return piece;
      }
      await this.process.wait((wake) => this.source.wake(wake));
    }
  }

  /** Returns bytes that were read but not used. */
  unread(bytes: Uint8Array): void {
    this.source.unread(bytes);
  }
}

export class ProcessOutput implements Output {
  constructor(
    readonly process: Holder,
    readonly sink: Sink,
  ) {}

  get tty(): boolean {
    return this.sink.tty;
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    let rest = typeof bytes === "string" ? encoder.encode(bytes) : bytes;
    await this.process.work(CALL_NS + rest.length * (this.sink.byteNs ?? BYTE_NS));
    // No bytes are an empty message in write(2), but no text is nothing at all in printf(3).
    let isOwed = this.sink.keepsBounds === true && typeof bytes !== "string";
    while (rest.length > 0 || isOwed) {
      isOwed = false;
      const taken = this.sink.put(rest);
      if (taken === null) throw breakPipe(this.process);
      rest = rest.subarray(taken);
      if (rest.length > 0 && taken === 0) await this.process.wait((wake) => this.sink.wake(wake));
    }
  }
}

/** Nobody reads any more: for processes that SIGPIPE does not end. */
export class BrokenPipe extends Error {
  constructor() {
    super("Broken pipe");
  }
}

/** The result of writing to a pipe without readers. */
function breakPipe(process: Holder): Error {
  return process.raise(SIGPIPE) ? new Killed(SIGPIPE) : new BrokenPipe();
}

/** The source for input that a program passes to a child. */
export function sourceOf(input: Input): Source {
  return input instanceof ProcessInput ? input.source : new ForeignSource(input);
}

export function sinkOf(output: Output): Sink {
  return output instanceof ProcessOutput ? output.sink : new ForeignSink(output);
}
