// A process's hold on what its descriptors lead to: waiting, being killed and being stopped in between.

import type { Input, Output } from "../program.js";
import { Killed } from "../program.js";
import { SIGPIPE } from "./signals.js";
import { ForeignSink, ForeignSource, type Sink, type Source } from "./streams.js";

/** What a system call costs, and what a byte costs, in nanoseconds of a processor. */
const CALL_NS = 2_000;
const BYTE_NS = 1;

const encoder = new TextEncoder();

/** The process whose descriptors they are. */
export interface Holder {
  /** Uses a processor for so many nanoseconds. */
  work(ns: number): Promise<void>;
  /** Waits until `register`'s argument is called. Rejects with `Killed`. */
  wait(register: (wake: () => void) => () => void): Promise<void>;
  /** Takes so many bytes of memory. Throws `Killed` if there are none. */
  allocate(bytes: number): void;
  /** A signal that it sends itself by what it does. False if it survives. */
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

  /** Gives back what was read too much. */
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
    while (rest.length > 0) {
      const taken = this.sink.put(rest);
      if (taken === null) throw breakPipe(this.process);
      rest = rest.subarray(taken);
      if (rest.length > 0 && taken === 0) await this.process.wait((wake) => this.sink.wake(wake));
    }
  }
}

/** Tells that nobody reads any more; for who does not end by SIGPIPE. */
export class BrokenPipe extends Error {
  constructor() {
    super("Broken pipe");
  }
}

/** What a write to a pipe without readers does. */
function breakPipe(process: Holder): Error {
  return process.raise(SIGPIPE) ? new Killed(SIGPIPE) : new BrokenPipe();
}

/** What a program gives to a child as its input. */
export function sourceOf(input: Input): Source {
  return input instanceof ProcessInput ? input.source : new ForeignSource(input);
}

export function sinkOf(output: Output): Sink {
  return output instanceof ProcessOutput ? output.sink : new ForeignSink(output);
}
