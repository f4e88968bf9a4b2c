// A connection within a call: the messages of both directions are its bytes (`Control/Session`). So a client needs no
// second connection for its session.

import { Duplex } from "node:stream";
import type { ServerHttp2Stream } from "node:http2";
import { METHODS, decode, encode } from "../../buildkit/index.js";
import { framed, messagesIn } from "./messages.js";
import type { Limits } from "./messages.js";

const { request, response } = METHODS.get("/moby.buildkit.v1.Control/Session")!;

export class CarriedConnection extends Duplex {
  readonly #stream: ServerHttp2Stream;
  readonly #messages: AsyncIterator<Uint8Array>;

  constructor(stream: ServerHttp2Stream, limits: Limits) {
    super();
    this.#stream = stream;
    this.#messages = messagesIn(stream, limits)[Symbol.asyncIterator]();
    stream.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#next().then(
      (bytes) => this.push(bytes),
      () => this.destroy(),
    );
  }

  /** Null at the end. An empty message says nothing. */
  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      const { done, value } = await this.#messages.next();
      if (done === true) return null;
      const bytes = decode(request, value).data as Uint8Array | undefined;
      if (bytes !== undefined && bytes.length > 0) return bytes;
    }
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#stream.write(framed(encode(response, { data: bytes })), done);
  }

  override _final(done: () => void): void {
    this.#stream.end();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#stream.end();
    done();
  }
}
