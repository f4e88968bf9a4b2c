// Sources and sinks behind file descriptors. A waiting process is woken and tries again, so that no bytes are lost to a
// reader that was killed meanwhile.

import type { Input, Output } from "../program.js";

/** Counts the descriptors that hold it: one at first, one more for each `retain`, one fewer for each `release`. */
export interface Held {
  retain(): void;
  release(): void;
}

export interface Source extends Held {
  readonly tty: boolean;
  /** Whether its end is final. A file can grow after its end. */
  readonly isPipe?: boolean;
  /** The next piece; null at the end; undefined if there is none yet. */
  take(): Uint8Array | null | undefined;
  /** Returns bytes that were taken but not used. */
  unread(bytes: Uint8Array): void;
  /** Calls back once there may be more. Returns a function that cancels this. */
  wake(more: () => void): () => void;
}

export interface Sink extends Held {
  readonly tty: boolean;
  /** Processor time per byte in nanoseconds, if it is more than usual. */
  readonly byteNs?: number;
  /** Whether each `put` is a message of its own, even an empty one. It takes the whole or throws. */
  readonly keepsBounds?: boolean;
  /** Takes as many bytes as there is room for. Returns null if nobody will ever read them. */
  put(bytes: Uint8Array): number | null;
  /** Whether there is no room. A sink without this method always has room. */
  isFull?(): boolean;
  /** Calls back once there may be room. Returns a function that cancels this. */
  wake(room: () => void): () => void;
}

/** Callbacks that wait for something. */
export class Waiting {
  readonly #calls = new Set<() => void>();

  add(call: () => void): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /** Calls all callbacks once. */
  stir(): void {
    const calls = [...this.#calls];
    this.#calls.clear();
    for (const call of calls) call();
  }
}

/** Registers a callback. Returns a function that cancels this. */
export type Register = (call: () => void) => () => void;

/** Registers a callback with both, for whichever calls first. */
export function either(one: Register, other: Register): Register {
  return (call) => {
    const first = (): void => {
      cancel();
      call();
    };
    const registered = [one(first), other(first)];
    const cancel = (): void => registered.forEach((callOff) => callOff());
    return cancel;
  };
}

const PIPE_BYTES = 65_536;

/** pipe(2), with the capacity that Linux gives a pipe. */
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

/** A source of bytes that are all there already. */
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

/** Reads from an input that came from outside this module. */
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

/** Writes to an output that came from outside this module. */
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
