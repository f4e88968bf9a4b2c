// Two ends of a connection inside one process: bytes written to one are read from the other.

import { Duplex } from "node:stream";

/**
 * `timeout`: the client gets the event after this many milliseconds without a byte, as with `setTimeout`; by default
 * never.
 */
export function connectionPair(timeout = 0): [client: Duplex, server: Duplex] {
  const client = new ClientEnd();
  client.setTimeout(timeout);
  const server = new End();
  client.other = server;
  server.other = client;
  return [client, server];
}

class End extends Duplex {
  other!: End;
  /** The other end's writer waits until this end is read. */
  #unread: (() => void) | null = null;

  constructor() {
    super({ allowHalfOpen: true });
  }

  override _read(): void {
    const go = this.#unread;
    this.#unread = null;
    go?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.moved();
    this.other.#receive(chunk, done);
  }

  override _final(done: () => void): void {
    this.other.push(null);
    done();
  }

  /** Behaves like a socket that is closed while the other side still uses it. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { other } = this;
    this.#unread?.();
    // Not from within a parser that is processing bytes.
    process.nextTick(() => void other.destroy());
    done(error);
  }

  /** Bytes have arrived or left. */
  protected moved(): void {}

  #receive(chunk: Buffer, done: () => void): void {
    this.moved();
    if (this.destroyed || this.push(chunk)) done();
    else this.#unread = done;
  }

  // Methods that Node's HTTP client calls on a socket.

  /** The engine's end has no timeout. */
  setTimeout(_ms: number, _heard?: () => void): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** As with a socket, silence causes the event `timeout`; the rest is up to the client. */
class ClientEnd extends End {
  /** Node's agent reads this. */
  timeout = 0;
  #alarm: NodeJS.Timeout | undefined;
  /** A request waits on it: until that is answered or timed out, the process stays alive. */
  #isHeld = true;

  override setTimeout(ms: number, heard?: () => void): this {
    this.timeout = ms;
    clearTimeout(this.#alarm);
    this.#alarm = ms > 0 ? setTimeout(() => this.emit("timeout"), ms) : undefined;
    if (!this.#isHeld) this.#alarm?.unref();
    if (heard !== undefined && ms > 0) this.once("timeout", heard);
    else if (heard !== undefined) this.off("timeout", heard);
    return this;
  }

  override ref(): this {
    this.#isHeld = true;
    this.#alarm?.ref();
    return this;
  }

  override unref(): this {
    this.#isHeld = false;
    this.#alarm?.unref();
    return this;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#alarm);
    super._destroy(error, done);
  }

  protected override moved(): void {
    this.#alarm?.refresh();
  }
}
