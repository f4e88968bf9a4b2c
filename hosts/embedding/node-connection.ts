// Two ends of a connection inside one process: what is written to one is read from the other.

import { Duplex } from "node:stream";

export function connectionPair(): [client: Duplex, server: Duplex] {
  const client = new End();
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

  #receive(chunk: Buffer, done: () => void): void {
    if (this.destroyed || this.push(chunk)) done();
    else this.#unread = done;
  }

  // What Node's HTTP client asks of a socket.

  setTimeout(): this {
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
