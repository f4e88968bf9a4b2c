// Sits between a socket and Node's HTTP parser and lets one request at a time through.
//
// There are two reasons for it. First, an attach without `Upgrade` takes the connection off HTTP after an ordinary POST
// with a body. What the client sends after that body is stdin, but Node's parser would take it for the next request.
// Second, the core wants the target as it was sent. Node's parser refuses some forms that Go's accepts, so it gets `/`
// instead.

import { Duplex } from "node:stream";
import { SHORT_BODY } from "../../request/index.js";
import { BodyExtent } from "./body-extent.js";
import { LONGEST_KEPT_HEAD } from "./kept-replies.js";
import type { KeptReplies } from "./kept-replies.js";
import { BadRequest, LONGEST_HEAD, linesOf, parseHead } from "./request-head.js";
import type { RequestHead } from "./request-head.js";

/** How much a client may send ahead before its connection is no longer read. */
const LONGEST_HELD = 64 * 1024;
/** The end of a head. The line before may end in LF alone, as with Go's server (RFC 9112, 2.2). */
const HEAD_ENDS = ["\n\r\n", "\n\n"].map((end) => Buffer.from(end));
const LONGEST_END = 3;
const NONE = Buffer.alloc(0);

/** `body`: all of it. */
export type TakePlain = (gate: Gate, head: RequestHead, body: Buffer) => void;

export class Gate extends Duplex {
  /** A socket, or its stand-in within this process. */
  readonly socket: Duplex;
  readonly #plain: TakePlain;
  readonly #kept: KeptReplies;
  readonly #passed: (bytes: number) => void;
  /** Head of the request that was let through last. */
  head: RequestHead | null = null;
  /** The head of the reply is out: errors in the rest of the request can no longer be reported. */
  answered = false;
  /** Received bytes that were not let through yet. */
  #held: Buffer = NONE;
  /** Free bytes in memory behind `#held`. */
  #room = 0;
  /** This many bytes of `#held` contain no end of a head. */
  #searched = 0;
  #body: BodyExtent | null = null;
  /** The last head as it was sent; empty if its reply cannot be kept: it is too long, or a body follows. */
  #sent = "";
  /** The generation of stateless answers when it came. */
  #generation = 0;
  #replied = true;
  /** Node's parser accepts no more for now. */
  #full = false;
  /** The client has closed its side; Node's server has been told. */
  #ended = false;
  #told = false;
  #taken = false;
  #last = false;
  #halfClosed: (() => void) | null = null;

  /**
   * `plain` takes requests that need no HTTP server. They are not passed on to it. Neither are those whose reply is
   * `kept`. `passed`: so many bytes were read and handed on.
   */
  constructor(socket: Duplex, plain: TakePlain, kept: KeptReplies, passed: (bytes: number) => void = () => {}) {
    super({ allowHalfOpen: true });
    this.socket = socket;
    this.#plain = plain;
    this.#kept = kept;
    this.#passed = passed;
    socket.on("data", this.#received);
    socket.on("end", this.#finished);
    socket.on("close", this.#closed);
    socket.on("error", ignore);
  }

  /** Calls `then` if the client closes its side, or has done so, before the current request is over. */
  onHalfClose(then: () => void): void {
    this.#halfClosed = then;
    if (this.#ended) then();
  }

  /** The reply to the current request has gone out: lets the next one through. */
  next(): void {
    this.#halfClosed = null;
    this.#replied = true;
    if (this.#last) this.end();
    else this.#admit();
  }

  /** The current request may be answered with this again. */
  keep(reply: Buffer): void {
    if (this.#sent !== "") this.#kept.keep(this.#sent, reply, this.#generation);
  }

  /** Closes the connection, after the current reply if there is one. */
  closeWhenIdle(): void {
    this.#last = true;
    if (this.#replied) this.destroy();
  }

  /** Takes the connection off HTTP. Returns what the client has sent after the request. */
  takeOver(): { socket: Duplex; early: Buffer } {
    this.#taken = true;
    this.socket.off("data", this.#received);
    this.socket.off("end", this.#finished);
    this.socket.off("close", this.#closed);
    this.socket.pause();
    const early = this.#held;
    this.#held = NONE;
    this.destroy();
    return { socket: this.socket, early };
  }

  readonly #received = (bytes: Buffer): void => {
    if (!this.#isClosing) this.#hold(bytes);
    this.#admit();
    this.#passed(bytes.length);
  };

  readonly #finished = (): void => {
    this.#ended = true;
    this.#admit();
    this.#halfClosed?.();
  };

  readonly #closed = (): void => {
    this.destroy();
  };

  /** Copies the held bytes only each time they have doubled: a head may arrive in very many pieces. */
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

  /** A request may be answered while it is let through: its connection may then be another's to read. */
  #pace(): void {
    if (this.#taken) return;
    const paused = this.#full || (this.#held.length > LONGEST_HELD && this.#waits());
    if (paused) this.socket.pause();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  /** The request is complete and its reply is not out. */
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

  /** Nothing can be answered any more (RFC 9112, 9.6): what the client still sends is read and dropped. */
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
    if (this.#answerAgain(next)) return true;
    const head = parseHead(this.#held.toString("utf8", 0, end));
    this.head = head;
    this.answered = false;
    this.#replied = false;
    if (head.plain && this.#admitPlain(head, next)) return true;
    const body = new BodyExtent(head.body);
    this.#body = body.done ? null : body;
    // Node's parser accepts only CR LF, and must see the same lines that were read here.
    const [, ...headers] = linesOf(this.#held.toString("latin1", 0, end));
    this.#held = this.#held.subarray(next);
    this.push([`${head.method} / HTTP/1.${head.minorVersion}`, ...headers, "", ""].join("\r\n"), "latin1");
    return true;
  }

  /** A request without a body, or with a short one that is here already. */
  #admitPlain(head: RequestHead, next: number): boolean {
    const length = head.body.kind === "none" ? 0 : head.body.kind === "length" ? head.body.length : Infinity;
    if (length > SHORT_BODY || next + length > this.#held.length) return false;
    if (length > 0) this.#sent = "";
    const body = this.#held.subarray(next, next + length);
    this.#held = this.#held.subarray(next + length);
    this.#plain(this, head, body);
    return true;
  }

  /** Answers with a reply that was kept. If the client does not read, its next request waits. */
  #answerAgain(next: number): boolean {
    this.#sent = next > LONGEST_KEPT_HEAD ? "" : this.#held.toString("latin1", 0, next);
    this.#generation = this.#kept.generation;
    const reply = this.#kept.find(this.#sent);
    if (reply === undefined) return false;
    this.#held = this.#held.subarray(next);
    this.answered = true;
    if (this.socket.write(reply)) return true;
    this.#replied = false;
    this.socket.once("drain", () => this.next());
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
    this.#pace();
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

  // Methods that Node's server calls on a socket and that mean nothing for a unix socket.

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
 * Answers a malformed request as Go's server does, and closes. Like Go's server, it waits a little for a client that is
 * still sending: if it closed at once, the client's write would fail and it would never read the answer.
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

/**
 * Where the last line of a head ends, without its line end, and where the data after the head begins. -1: not there
 * yet.
 */
function headEnd(bytes: Buffer, from: number): [end: number, next: number] {
  let found: [number, number] = [-1, -1];
  for (const pattern of HEAD_ENDS) {
    const at = bytes.indexOf(pattern, from);
    if (at >= 0 && (found[0] < 0 || at < found[0])) found = [at, at + pattern.length];
  }
  return found;
}

/** RFC 9112, 2.2: ignore empty lines before a request. */
function emptyLines(bytes: Buffer): number {
  let at = 0;
  for (;;) {
    const length = bytes[at] === 0x0a ? 1 : bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? 2 : 0;
    if (length === 0) return at;
    at += length;
  }
}

function ignore(): void {}
