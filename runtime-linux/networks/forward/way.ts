// One way of a forwarded connection. What has been read waits in one buffer until the other end has taken it, and nothing
// is read meanwhile. So readers that are slow, or never read, hold no more than that: 2 KiB each, and 4 MiB in all of the
// large buffers that fast ones have in turn.

import type { OnReadOpts, Socket } from "node:net";

const SMALL_BYTES = 2 * 1024;
const LARGE_BYTES = 64 * 1024;
/** Large buffers, for all ways together. */
const MOST_LARGE = 64;

/** Large buffers that are lent for a while. */
export class Buffers {
  readonly #free: Buffer[] = [];
  #made = 0;

  constructor(private readonly most = MOST_LARGE) {}

  /** Undefined if all are in use. */
  take(): Buffer | undefined {
    if (this.#free.length > 0) return this.#free.pop();
    if (this.#made === this.most) return undefined;
    this.#made++;
    return Buffer.allocUnsafeSlow(LARGE_BYTES);
  }

  give(buffer: Buffer): void {
    this.#free.push(buffer);
  }
}

export class Way {
  /** For the socket that is read. */
  readonly onread: OnReadOpts = {
    buffer: () => this.#next(),
    callback: (length, bytes) => this.#pass(bytes.subarray(0, length)),
  };
  readonly #small = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #large: Buffer | undefined;
  #isFast = false;
  #isWaiting = false;
  #from: Socket | undefined;
  #to: Socket | undefined;

  constructor(private readonly buffers: Buffers) {}

  /** Call this before anything can be read. */
  join(from: Socket, to: Socket): void {
    this.#from = from;
    this.#to = to;
    from.on("end", () => to.end());
    // Until then one may be read into it, and the other written from it.
    let open = 2;
    for (const socket of [from, to]) socket.on("close", () => --open === 0 && this.#giveBack());
  }

  /** False: nothing more is read until these bytes are written. */
  #pass(bytes: Uint8Array): boolean {
    const to = this.#to!;
    if (to.destroyed) return false;
    to.write(bytes, () => this.#written());
    this.#isWaiting = to.writableLength > 0;
    this.#isFast = !this.#isWaiting && bytes.length >= SMALL_BYTES;
    return !this.#isWaiting;
  }

  /** What is read next goes there. A large buffer with bytes that wait is given back when they are written. */
  #next(): Buffer {
    if (this.#isFast) this.#large ??= this.buffers.take();
    else if (!this.#isWaiting) this.#giveBack();
    return (this.#isFast ? this.#large : undefined) ?? this.#small;
  }

  #written(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#giveBack();
    this.#from?.resume();
  }

  #giveBack(): void {
    if (this.#large !== undefined) this.buffers.give(this.#large);
    this.#large = undefined;
  }
}
