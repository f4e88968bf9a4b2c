// Stands between a socket and Node's HTTP parser and lets one request at a time through.
//
// Two things need it. An attach without `Upgrade` takes the connection off HTTP after an ordinary POST with a body, and
// what the client sends after that body is stdin: Node's parser would have taken it for the next request. And the core
// wants the target as it was sent, where the parser refuses some forms that Go's accepts: it gets `/` instead.

import { Duplex } from "node:stream";
import { BodyExtent } from "./body-extent.js";
import { BadRequest, LONGEST_HEAD, linesOf, parseHead } from "./request-head.js";
import type { RequestHead } from "./request-head.js";

/** What a client may send ahead of its turn before its connection is not read any more. */
const LONGEST_HELD = 64 * 1024;
/** What ends a head; the line before may end in LF alone, as with Go's server (RFC 9112, 2.2). */
const HEAD_ENDS = ["\n\r\n", "\n\n"].map((end) => Buffer.from(end));
const LONGEST_END = 3;
const NONE = Buffer.alloc(0);

export class Gate extends Duplex {
  /** A socket, or what stands for one in this process. */
  readonly socket: Duplex;
  readonly #plain: (gate: Gate, head: RequestHead) => void;
  /** Of the request that was let through last. */
  head: RequestHead | null = null;
  /** The head of the reply to it is out: what is wrong with the rest of the request can be said no more. */
  answered = false;
  /** What was received and not let through yet. */
  #held: Buffer = NONE;
  /** Bytes of its memory behind `#held` that are free. */
  #room = 0;
  /** So much of `#held` has no end of a head in it. */
  #searched = 0;
  #body: BodyExtent | null = null;
  #replied = true;
  /** Node's parser wants no more for now. */
  #full = false;
  /** The client has closed its side; Node's server has been told. */
  #ended = false;
  #told = false;
  #taken = false;
  #last = false;
  #halfClosed: (() => void) | null = null;

  /** `plain` is called for requests that need no HTTP server: they do not come through. */
  constructor(socket: Duplex, plain: (gate: Gate, head: RequestHead) => void) {
    super({ allowHalfOpen: true });
    this.socket = socket;
    this.#plain = plain;
    socket.on("data", this.#received);
    socket.on("end", this.#finished);
    socket.on("close", this.#closed);
    socket.on("error", ignore);
  }

  /** Calls `then` if the client closes its side while the request under way is not over, or has before. */
  onHalfClose(then: () => void): void {
    this.#halfClosed = then;
    if (this.#ended) then();
  }

  /** The reply to the request under way has gone out: the next one may come through. */
  next(): void {
    this.#halfClosed = null;
    this.#replied = true;
    if (this.#last) this.end();
    else this.#admit();
  }

  /** Closes the connection, after the reply that is under way if there is one. */
  closeWhenIdle(): void {
    this.#last = true;
    if (this.#replied) this.destroy();
  }

  /** Takes the connection off HTTP. What the client has sent beyond the request is given back. */
  takeOver(): { socket: Duplex; early: Buffer } {
    this.#taken = true;
    this.socket.off("data", this.#received);
    this.socket.off("end", this.#finished);
    this.socket.off("close", this.#closed);
    this.socket.pause();
    const early = this.#held;
    this.destroy();
    return { socket: this.socket, early };
  }

  readonly #received = (bytes: Buffer): void => {
    if (!this.#isClosing) this.#hold(bytes);
    this.#admit();
  };

  readonly #finished = (): void => {
    this.#ended = true;
    this.#admit();
    this.#halfClosed?.();
  };

  readonly #closed = (): void => {
    this.destroy();
  };

  /** Copies what is held only when it has doubled: a head may come in very many pieces. */
  #hold(bytes: Buffer): void {
    const { length } = this.#held;
    if (length === 0) {
      this.#held = bytes;
      this.#room = 0;
      return;
    }
    if (this.#room < bytes.length) {
      this.#room = length + bytes.length;
      this.#held = Buffer.concat([this.#held], length + this.#room);
    } else this.#held = Buffer.from(this.#held.buffer, this.#held.byteOffset, length + this.#room);
    this.#held.set(bytes, length);
    this.#held = this.#held.subarray(0, length + bytes.length);
    this.#room -= bytes.length;
  }

  #admit(): void {
    try {
      while (this.#held.length > 0 && (this.#admitBody() || this.#admitHead()));
    } catch (error) {
      this.#refuse(error);
    }
    this.#pace();
    // A client that closes its side may still wait for its answer.
    if (this.#ended && !this.#told && (this.#replied || this.#body !== null)) {
      this.#told = true;
      this.push(null);
    }
  }

  #pace(): void {
    const paused = this.#full || (this.#held.length > LONGEST_HELD && this.#waits());
    if (paused) this.socket.pause();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  /** The request is all there and its reply is not out. */
  #waits(): boolean {
    return this.#body === null && !this.#replied;
  }

  #admitBody(): boolean {
    if (this.#body === null) return false;
    const length = this.#body.take(this.#held, 0);
    if (length > 0) this.#full = !this.push(this.#held.subarray(0, length));
    this.#held = this.#held.subarray(length);
    if (this.#body.done) this.#body = null;
    return true;
  }

  /** Nothing can be answered any more (RFC 9112, 9.6): what the client still sends is only read off. */
  get #isClosing(): boolean {
    return this.writableEnded || this.socket.writableEnded;
  }

  #admitHead(): boolean {
    if (!this.#replied || this.#body !== null || this.#isClosing) return false;
    const start = emptyLines(this.#held);
    if (start > 0) {
      this.#held = this.#held.subarray(start);
      this.#searched = 0;
    }
    const [end, next] = headEnd(this.#held, this.#searched);
    if (end < 0 && this.#held.length > LONGEST_HEAD) throw new BadRequest("431 Request Header Fields Too Large");
    this.#searched = end < 0 ? Math.max(0, this.#held.length - LONGEST_END + 1) : 0;
    if (end < 0) return false;
    const head = parseHead(this.#held.toString("utf8", 0, end));
    this.head = head;
    this.answered = false;
    this.#replied = false;
    const body = new BodyExtent(head.body);
    this.#body = body.done ? null : body;
    if (head.plain && this.#body === null) {
      this.#held = this.#held.subarray(next);
      this.#plain(this, head);
      return true;
    }
    // Node's parser takes no other line ends than these, and reads the lines that were read here.
    const [, ...headers] = linesOf(this.#held.toString("latin1", 0, end));
    this.#held = this.#held.subarray(next);
    this.push([`${head.method} / HTTP/1.${head.minorVersion}`, ...headers, "", ""].join("\r\n"), "latin1");
    return true;
  }

  #refuse(error: unknown): void {
    const { message, status } = error instanceof BadRequest ? error : new BadRequest("500 Internal Server Error");
    this.#held = NONE;
    if (this.answered && this.#body !== null) this.destroy();
    else refuse(this.socket, status, message);
  }

  override _read(): void {
    this.#full = false;
    if (!this.#taken) this.#pace();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    this.socket.cork();
    chunks.forEach(({ chunk, encoding }, index) => {
      if (index < chunks.length - 1) this.socket.write(chunk, encoding);
      else this.socket.write(chunk, encoding, done);
    });
    this.socket.uncork();
  }

  override _final(done: () => void): void {
    if (!this.#taken) this.socket.end();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#taken) this.socket.destroy();
    done();
  }

  // What Node's server asks of a socket and a unix socket has no use for.

  setTimeout(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }
}

/**
 * Answers as Go's server answers what is no HTTP request, and closes. As Go's server it waits a little for a client that is
 * still sending: closed at once, that one would fail to write and never read the answer.
 */
export function refuse(socket: Duplex, status: string, message: string): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once("close", () => clearTimeout(lingering));
  socket.end(head + message, () => {
    if (socket.readableEnded) socket.destroy();
    else socket.once("end", () => socket.destroy()).resume();
  });
}

const LINGER_MS = 500;

/** Where the last line of a head ends, without its line end, and what is behind the head begins; -1: not there yet. */
function headEnd(bytes: Buffer, from: number): [end: number, next: number] {
  let found: [number, number] = [-1, -1];
  for (const pattern of HEAD_ENDS) {
    const at = bytes.indexOf(pattern, from);
    if (at >= 0 && (found[0] < 0 || at < found[0])) found = [at, at + pattern.length];
  }
  return found;
}

/** RFC 9112, 2.2: empty lines before a request are to be ignored. */
function emptyLines(bytes: Buffer): number {
  let at = 0;
  for (;;) {
    const length = bytes[at] === 0x0a ? 1 : bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? 2 : 0;
    if (length === 0) return at;
    at += length;
  }
}

function ignore(): void {}
