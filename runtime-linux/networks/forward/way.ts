// One way of a forwarded connection. What has been read waits in one buffer until the other end has taken it, and nothing
// is read meanwhile. So readers that are slow, or never read, hold no more than that: 2 KiB each, and 4 MiB in all of large
// buffers. A way that was fast keeps its large buffer until the next read, be that late, or until nothing more comes. So
// those of one port have half of them at most.

import type { OnReadOpts, Socket } from "node:net";

const SMALL_BYTES = 2 * 1024;
const LARGE_BYTES = 64 * 1024;
/** Large buffers, for all ways together. */
const MOST_LARGE = 64;

/** Large buffers that are lent for a while. */
export class Buffers {
  readonly #free: Buffer[] = [];
  #lent = 0;

  /** `around`: where they come from, if these are a share of others. */
  constructor(
    private readonly most = MOST_LARGE,
    private readonly around?: Buffers,
  ) {}

  /** For one of several: half of these, so that it leaves others their share. */
  share(): Buffers {
    return new Buffers(this.most / 2, this);
  }

  /** Undefined if all are in use. */
  take(): Buffer | undefined {
    if (this.#lent >= this.most) return undefined;
    const buffer = this.around === undefined ? this.#own() : this.around.take();
    if (buffer !== undefined) this.#lent++;
    return buffer;
  }

  give(buffer: Buffer): void {
    this.#lent--;
    if (this.around === undefined) this.#free.push(buffer);
    else this.around.give(buffer);
  }

  #own(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
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
    from.on("end", () => {
      // What is still to be written gives it back itself.
      if (!this.#isWaiting) this.#giveBack();
      to.end();
    });
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
