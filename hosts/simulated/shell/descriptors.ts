// The open descriptors of a shell or of one of its commands.

import { never, type Sink, type Source } from "../processes/streams.js";

/** A redirection could not be opened. The command does not run. */
export class RedirectionFailed extends Error {}

interface Descriptor {
  source?: Source;
  sink?: Sink;
}

const CLOSED_SINK: Sink = { tty: false, put: badDescriptor, wake: never, retain() {}, release() {} };
const CLOSED_SOURCE: Source = { tty: false, take: badDescriptor, unread() {}, wake: never, retain() {}, release() {} };

export class Descriptors {
  readonly #open: Map<number, Descriptor>;

  constructor(open: Iterable<readonly [number, Descriptor]>) {
    this.#open = new Map(open);
  }

  static of(stdin: Source, stdout: Sink, stderr: Sink): Descriptors {
    return new Descriptors([
      [0, { source: stdin }],
      [1, { sink: stdout }],
      [2, { sink: stderr }],
    ]);
  }

  copy(): Descriptors {
    return new Descriptors(this.#open);
  }

  source(number: number): Source {
    return this.#open.get(number)?.source ?? CLOSED_SOURCE;
  }

  sink(number: number): Sink {
    return this.#open.get(number)?.sink ?? CLOSED_SINK;
  }

  has(number: number): boolean {
    return this.#open.has(number);
  }

  set(number: number, descriptor: Descriptor): void {
    this.#open.set(number, descriptor);
  }

  close(number: number): void {
    this.#open.delete(number);
  }

  duplicate(from: number, to: number): void {
    const descriptor = this.#open.get(from);
    if (!descriptor) throw new RedirectionFailed(`${from}: Bad file descriptor`);
    this.#open.set(to, descriptor);
  }
}

function badDescriptor(): never {
  throw new Error("Bad file descriptor");
}
