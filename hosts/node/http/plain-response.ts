// Writes a reply directly to the socket, for plain requests (`plain` in request-head.ts): HTTP/1.1, no body, no header
// about the connection. Most requests are like this, and Node's server would take half of their time.

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { replies } from "../../shared/index.js";
import { isCounted, isLengthless, mayHaveBody } from "../../request/index.js";
import { headerLines } from "./reply-head.js";
import type { Response } from "./response.js";

const LAST_CHUNK = "0\r\n\r\n";

/** Up to this size, copying bytes is faster than sending them separately. */
const LARGEST_JOINED = 8 * 1024;

export class PlainResponse implements Response {
  readonly #socket: Duplex;
  readonly #method: string;
  readonly #isHead: boolean;
  readonly #keep: (reply: Buffer) => void;
  readonly #passed: (bytes: number) => void;
  #finished: () => void = () => {};
  #closed: () => void = () => {};
  headSent = false;
  ended = false;

  /** `keep` is called with a short reply that does not depend on the state. `passed`: so many bytes were handed on. */
  constructor(socket: Duplex, method: string, keep: (reply: Buffer) => void, passed: (bytes: number) => void) {
    this.#socket = socket;
    this.#keep = keep;
    this.#passed = passed;
    this.#method = method;
    this.#isHead = method === "HEAD";
  }

  whole(head: replies.Head, body: Uint8Array, isStateless: boolean): void {
    const counted = isCounted(head.status, body.length);
    const sends = !this.#isHead && body.length > 0 && mayHaveBody(head.status);
    const lengthless = isLengthless(this.#method, head.headers, body.length);
    const length = counted ? `Content-Length: ${body.length}\r\n` : framing(head.status);
    const text = headText(head, lengthless ? "" : length);
    this.headSent = true;
    if (sends && !counted && body.length > LARGEST_JOINED) return this.#longChunk(text, body);
    const reply = !sends
      ? Buffer.from(text, "latin1")
      : counted
        ? joined(text, body, "")
        : joined(`${text}${sizeLine(body)}`, body, `\r\n${LAST_CHUNK}`);
    if (isStateless) this.#keep(reply);
    this.#last(reply);
  }

  /** A whole reply in one write of several buffers: a long body is not copied. */
  #longChunk(text: string, body: Uint8Array): void {
    this.#socket.cork();
    this.#socket.write(`${text}${sizeLine(body)}`, "latin1");
    this.#socket.write(body);
    const hasRoom = this.#socket.write(`\r\n${LAST_CHUNK}`, "latin1");
    this.#socket.uncork();
    this.#passed(body.length);
    this.#wrote(hasRoom);
  }

  open(head: replies.Head): void {
    this.headSent = true;
    this.#socket.write(headText(head, framing(head.status)), "latin1");
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    if (this.#isHead || bytes.length === 0) return sent(!this.#socket.destroyed);
    // One small write costs less than three parts of one.
    if (bytes.length <= LARGEST_JOINED) {
      this.#socket.write(joined(sizeLine(bytes), bytes, "\r\n"), (error) => sent(!error));
      return;
    }
    this.#socket.cork();
    this.#socket.write(sizeLine(bytes), "latin1");
    this.#socket.write(bytes);
    this.#socket.write("\r\n", "latin1", (error) => sent(!error));
    this.#socket.uncork();
  }

  end(): void {
    this.#last(Buffer.from(this.#isHead ? "" : LAST_CHUNK, "latin1"));
  }

  onEnd(finished: () => void, closed: () => void): void {
    this.#finished = finished;
    this.#closed = closed;
    this.#socket.on("close", this.#lost);
  }

  readonly #lost = (): void => {
    this.#socket.off("drain", this.#out);
    this.#closed();
  };

  readonly #out = (): void => {
    this.#socket.off("close", this.#lost);
    this.#finished();
  };

  #last(bytes: Buffer): void {
    this.#wrote(bytes.length === 0 || this.#socket.write(bytes));
  }

  /** If the client does not read, its next request waits: replies must not pile up. */
  #wrote(hasRoom: boolean): void {
    this.ended = true;
    if (hasRoom) this.#out();
    else this.#socket.once("drain", this.#out);
  }
}

function framing(status: number): string {
  return mayHaveBody(status) ? "Transfer-Encoding: chunked\r\n" : "";
}

function sizeLine(chunk: Uint8Array): string {
  return `${chunk.length.toString(16)}\r\n`;
}

function joined(before: string, body: Uint8Array, after: string): Buffer {
  const bytes = Buffer.allocUnsafe(before.length + body.length + after.length);
  bytes.write(before, "latin1");
  bytes.set(body, before.length);
  if (after !== "") bytes.write(after, before.length + body.length, "latin1");
  return bytes;
}

function headText(head: replies.Head, framing: string): string {
  const lines = headerLines(head.headers);
  return `HTTP/1.1 ${head.status} ${STATUS_CODES[head.status] ?? ""}\r\n${lines}${dateLine()}${framing}\r\n`;
}

let dateSecond = 0;
let date = "";

/** Rebuilt once a second. */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return date;
}
