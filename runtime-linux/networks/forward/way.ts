// One way of a forwarded connection. What has been read waits in one buffer until the other end has taken it, and nothing
// is read meanwhile. So readers that are slow, or never read, hold no more than that: 2 KiB each, and 4 MiB in all of large
// buffers, of which those of one port have half. Node gives a socket its buffer before it waits for bytes, be that long.
// So that buffer is small. A large one is borrowed only when bytes wait, and is given back when they are written: a
// connection that is quiet holds none.

import type { OnReadOpts, Socket } from "node:net";
import { attempt, errnoException } from "../../kernel/calls.js";
import { EAGAIN, MSG_DONTWAIT } from "../../kernel/numbers.js";

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
  readonly onread: OnReadOpts;
  #large: Buffer | undefined;
  #isWaiting = false;
  #from: Socket | undefined;
  #to: Socket | undefined;

  constructor(private readonly buffers: Buffers) {
    const small = Buffer.allocUnsafeSlow(SMALL_BYTES);
    this.onread = { buffer: small, callback: (length) => this.#pass(small.subarray(0, length)) };
  }

  /** Call this before anything can be read. */
  join(from: Socket, to: Socket): void {
    this.#from = from;
    this.#to = to;
    from.on("end", () => to.end());
    to.on("close", () => this.#giveBack());
  }

  /** False: nothing more is read until these bytes are written. */
  #pass(bytes: Uint8Array): boolean {
    const to = this.#to!;
    if (to.destroyed) return false;
    const more = bytes.length === SMALL_BYTES ? this.#readOn() : undefined;
    to.cork();
    if (more !== undefined) to.write(bytes);
    to.write(more ?? bytes, () => this.#written());
    to.uncork();
    this.#isWaiting = to.writableLength > 0;
    if (!this.#isWaiting) this.#giveBack();
    return !this.#isWaiting;
  }

  /** What waits behind a full small buffer. Undefined: nothing, or there is no large buffer for it. */
  #readOn(): Uint8Array | undefined {
    const from = this.#from!;
    this.#large = this.buffers.take();
    if (this.#large === undefined) return undefined;
    const length = attempt("recv", descriptorOf(from), this.#large, LARGE_BYTES, MSG_DONTWAIT);
    if (length > 0) return this.#large.subarray(0, length);
    // An end is told to Node, too. An error is told only once.
    if (length < 0 && length !== -EAGAIN) from.destroy(errnoException(-length, "recv", ""));
    this.#giveBack();
    return undefined;
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

/** Of a connected socket. */
function descriptorOf(socket: Socket): number {
  return (socket as unknown as { _handle: { fd: number } })._handle.fd;
}
