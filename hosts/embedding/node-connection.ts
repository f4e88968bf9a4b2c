// Two ends of a connection inside one process: what is written to one is read from the other.

import { Duplex } from "node:stream";

/** `timeout`: milliseconds without a byte after which the client is told, as by `setTimeout`; never if not given. */
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
  /** The other end's writer waits until this one is read. */
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

  /** As a socket that is closed while the other side still uses it. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const { other } = this;
    this.#unread?.();
    // Not from within a parser that has just been given bytes.
    process.nextTick(() => void other.destroy());
    done(error);
  }

  /** Bytes have come or gone. */
  protected moved(): void {}

  #receive(chunk: Buffer, done: () => void): void {
    this.moved();
    if (this.destroyed || this.push(chunk)) done();
    else this.#unread = done;
  }

  // What Node's HTTP client asks of a socket.

  /** The engine waits for as long as it takes. */
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

/** As with a socket, silence is told of (`timeout`), and what follows from it is the client's affair. */
class ClientEnd extends End {
  /** Looked at by Node's agent. */
  timeout = 0;
  #alarm: NodeJS.Timeout | undefined;
  /** A request waits on it: until that is answered or timed out, the process does not end. */
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
