// What a file descriptor leads to: something that bytes are taken from, or put into. Whoever waits is woken and tries
// again, so that nothing is lost to a reader that was killed meanwhile.

import type { Input, Output } from "../program.js";

/** Held by as many descriptors as `retain` was called more often than `release`; made as held by one. */
export interface Held {
  retain(): void;
  release(): void;
}

export interface Source extends Held {
  readonly tty: boolean;
  /** Nothing comes any more once it has ended; not so of a file. */
  readonly isPipe?: boolean;
  /** The next piece; null at the end; undefined when there is none yet. */
  take(): Uint8Array | null | undefined;
  /** Gives back what was taken too much. */
  unread(bytes: Uint8Array): void;
  /** Calls once there may be more. Returns what calls it off. */
  wake(more: () => void): () => void;
}

export interface Sink extends Held {
  readonly tty: boolean;
  /** Time of a processor that it takes per byte, in nanoseconds, where that is more than usual. */
  readonly byteNs?: number;
  /** Takes as many of the bytes as there is room for; null when nobody will ever read them. */
  put(bytes: Uint8Array): number | null;
  /** There is no room; never, where this is missing. */
  isFull?(): boolean;
  /** Calls once there may be room. Returns what calls it off. */
  wake(room: () => void): () => void;
}

/** Those who wait for something. */
export class Waiting {
  readonly #calls = new Set<() => void>();

  add(call: () => void): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /** Calls all, once each. */
  stir(): void {
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const call of calls) call();
  }
}

const PIPE_BYTES = 65_536;

/** pipe(2): as many bytes as Linux lets a pipe hold. */
export class Pipe {
  readonly source: Source;
  readonly sink: Sink;
  readonly #pieces: Uint8Array[] = [];
  #held = 0;
  #readers = 1;
  #writers = 1;
  readonly #waiting = new Waiting();

  constructor() {
    const wake = (call: () => void) => this.#waiting.add(call);
    this.source = {
      tty: false,
      isPipe: true,
      take: () => this.#take(),
      unread: (bytes) => this.#unread(bytes),
      wake,
      retain: () => void this.#readers++,
      release: () => this.#released(--this.#readers),
    };
    this.sink = {
      tty: false,
      put: (bytes) => this.#put(bytes),
      wake,
      retain: () => void this.#writers++,
      release: () => this.#released(--this.#writers),
    };
  }

  #take(): Uint8Array | null | undefined {
    const piece = this.#pieces.shift();
    if (!piece) return this.#writers > 0 ? undefined : null;
    this.#held -= piece.length;
    this.#waiting.stir();
    return piece;
  }

  #unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#pieces.unshift(bytes);
    this.#held += bytes.length;
  }

  #put(bytes: Uint8Array): number | null {
    if (this.#readers <= 0) return null;
    const room = Math.max(0, PIPE_BYTES - this.#held);
    const taken = bytes.slice(0, room);
    if (taken.length > 0) this.#pieces.push(taken);
    this.#held += taken.length;
    this.#waiting.stir();
    return taken.length;
  }

  #released(left: number): void {
    if (left === 0) this.#waiting.stir();
  }
}

/** Bytes that are there already. */
export class Bytes implements Source {
  readonly tty = false;
  #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(): Uint8Array | null {
    const bytes = this.#bytes;
    this.#bytes = bytes.subarray(bytes.length);
    return bytes.length > 0 ? bytes : null;
  }

  unread(bytes: Uint8Array): void {
    this.#bytes = bytes;
  }

  wake = never;
  retain(): void {}
  release(): void {}
}

/** For a source that always has an answer, or a sink that always has room. */
export function never(): () => void {
  return () => {};
}

/** Reads from an input that somebody else made. */
export class ForeignSource implements Source {
  readonly tty: boolean;
  readonly #input: Input;
  readonly #pieces: Uint8Array[] = [];
  #state: "idle" | "reading" | "ended" = "idle";
  readonly #waiting = new Waiting();

  constructor(input: Input) {
    this.#input = input;
    this.tty = input.tty;
  }

  take(): Uint8Array | null | undefined {
    const piece = this.#pieces.shift();
    if (piece) return piece;
    if (this.#state === "ended") return null;
    if (this.#state === "idle") this.#read();
    return undefined;
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#pieces.unshift(bytes);
  }

  wake(more: () => void): () => void {
    return this.#waiting.add(more);
  }

  retain(): void {}
  release(): void {}

  #read(): void {
    this.#state = "reading";
    const came = (piece: Uint8Array | null) => {
      this.#state = piece ? "idle" : "ended";
      if (piece) this.#pieces.push(piece);
      this.#waiting.stir();
    };
    this.#input.read().then(came, () => came(null));
  }
}

/** Writes to an output that somebody else made. */
export class ForeignSink implements Sink {
  readonly tty: boolean;
  readonly #output: Output;
  #writing = false;
  #broken = false;
  readonly #waiting = new Waiting();

  constructor(output: Output) {
    this.#output = output;
    this.tty = output.tty;
  }

  put(bytes: Uint8Array): number | null {
    if (this.#broken) return null;
    if (this.#writing) return 0;
    this.#writing = true;
    const done = (broken: boolean) => {
      this.#writing = false;
      this.#broken = broken;
      this.#waiting.stir();
    };
    this.#output.write(bytes.slice()).then(
      () => done(false),
      () => done(true),
    );
    return bytes.length;
  }

  wake(room: () => void): () => void {
    return this.#waiting.add(room);
  }

  retain(): void {}
  release(): void {}
}
