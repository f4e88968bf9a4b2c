// A request's body before it is sent: bytes at hand, or a stream.

import { SHORT_BODY, bodyOf, formOf } from "../../request/index.js";
import { HostFailure, interrupted } from "../../shared/index.js";
import type { engine } from "../../shared/index.js";

/** What the core gets, and what a host may take by the request's id. */
export interface ReceivedBody {
  body: engine.Body;
  offered: AsyncIterable<Uint8Array> | null;
}

export interface UnsentBody {
  /**
   * Without waiting if the bytes are at hand; otherwise once enough of them are there to decide. `limit`: see `formOf`.
   */
  receive(mediaType: string, limit: number): ReceivedBody | Promise<ReceivedBody>;
  /** Nobody wants the body any more: tells the maker of a stream. */
  giveUp(): void;
}

export const NO_BODY: ReceivedBody = { body: { tag: "none" }, offered: null };

/** `type`: the content type as `fetch` would set it. Throws `TypeError` for a stream that somebody else reads. */
export function unsentBody(init: NonNullable<RequestInit["body"]>): { body: UnsentBody; type: string | null } {
  if (init instanceof ReadableStream) return { body: new StreamBody(unlocked(init), null, false), type: null };
  if (typeof init === "string") return { body: new BytesBody(new TextEncoder().encode(init)), type: TEXT };
  if (init instanceof ArrayBuffer) return { body: new BytesBody(new Uint8Array(init)), type: null };
  if (ArrayBuffer.isView(init)) {
    return { body: new BytesBody(new Uint8Array(init.buffer, init.byteOffset, init.byteLength)), type: null };
  }
  const response = new Response(init);
  // Read before the body: in Bun, the type is gone after that.
  const type = response.headers.get("content-type");
  const length = init instanceof Blob ? init.size : null;
  return { body: new StreamBody(response.body!, length, true), type };
}

const TEXT = "text/plain;charset=UTF-8";

/** Throws `TypeError` if the body was read before or somebody else reads it. */
export function bodyOfRequest(request: Request): UnsentBody | null {
  if (request.bodyUsed) throw new TypeError("the request's body has been used already");
  if (request.body === null) return null;
  const length = request.headers.get("content-length");
  return new StreamBody(unlocked(request.body), length === null ? null : Number(length), true);
}

function unlocked(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (stream.locked) throw new TypeError("the request's body is locked to another reader");
  return stream;
}

class BytesBody implements UnsentBody {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  receive(mediaType: string, limit: number): ReceivedBody {
    if (this.#bytes.length === 0) return NO_BODY;
    const form = formOf(mediaType, this.#bytes.length, limit);
    if (form === "collect") return whole(this.#bytes.slice());
    return form === "oversized" ? OVERSIZED : streamed(pieces(this.#bytes));
  }

  giveUp(): void {}
}

class StreamBody implements UnsentBody {
  readonly #stream: ReadableStream<Uint8Array>;
  readonly #length: number | null;
  /** On a connection it would be sent with its length, even if the length is not visible here. */
  readonly #counted: boolean;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #givenUp = false;

  constructor(stream: ReadableStream<Uint8Array>, length: number | null, counted: boolean) {
    this.#stream = stream;
    this.#length = length;
    this.#counted = counted;
  }

  receive(mediaType: string, limit: number): ReceivedBody | Promise<ReceivedBody> {
    this.#reader = this.#stream.getReader();
    const form = formOf(mediaType, this.#length, limit);
    if (form === "collect") return this.#collect(limit);
    if (form === "stream") return this.#counted ? this.#peek() : streamed(this.#rest([]));
    this.giveUp();
    return OVERSIZED;
  }

  giveUp(): void {
    this.#givenUp = true;
    const cancelled = this.#reader === null ? this.#stream.cancel() : this.#reader.cancel();
    cancelled.catch(() => {});
  }

  async #collect(limit: number): Promise<ReceivedBody> {
    const { chunks, length, ended } = await this.#read(limit);
    if (ended) return length === 0 ? NO_BODY : whole(joined(chunks, length));
    this.giveUp();
    return OVERSIZED;
  }

  /** A `Request` does not tell the length of its body. A short one is recognized by its end. */
  async #peek(): Promise<ReceivedBody> {
    const { chunks, length, ended } = await this.#read(SHORT_BODY);
    if (!ended) return streamed(this.#rest(chunks));
    return length === 0 ? NO_BODY : whole(joined(chunks, length));
  }

  /** Reads to the end, or until there are more than `most` bytes. */
  async #read(most: number): Promise<{ chunks: Uint8Array[]; length: number; ended: boolean }> {
    const chunks: Uint8Array[] = [];
    for (let length = 0; ;) {
      if (length > most) return { chunks, length, ended: false };
      const chunk = await this.#next();
      if (chunk === null) return { chunks, length, ended: true };
      chunks.push(chunk);
      length += chunk.length;
    }
  }

  async #next(): Promise<Uint8Array | null> {
    const next = await this.#reader!.read();
    if (next.done) return null;
    if (next.value instanceof Uint8Array) return next.value;
    throw new TypeError("a request's body is made of Uint8Arrays");
  }

  /** Fails once the reply is over: what has arrived by then is not the whole body. */
  async *#rest(first: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    try {
      yield* first;
      for (;;) {
        const chunk = await this.#next();
        if (this.#givenUp) throw interrupted("answered");
        if (chunk === null) return;
        yield chunk;
      }
    } catch (error) {
      if (error instanceof HostFailure) throw error;
      throw new HostFailure({ tag: "body-broke", val: error instanceof Error ? error.message : String(error) });
    } finally {
      this.#reader!.cancel().catch(() => {});
    }
  }
}

const OVERSIZED: ReceivedBody = { body: { tag: "oversized" }, offered: null };

function whole(bytes: Uint8Array): ReceivedBody {
  return { body: { tag: "whole", val: bytes }, offered: bodyOf(bytes) };
}

function streamed(offered: AsyncIterable<Uint8Array>): ReceivedBody {
  return { body: { tag: "stream" }, offered };
}

/** In pieces, because the code that unpacks them works piece by piece. */
async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SHORT_BODY) yield bytes.subarray(at, at + SHORT_BODY);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
