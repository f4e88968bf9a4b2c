// A connection that becomes a websocket (RFC 6455), as the client of an attachment. The client's messages of any kind
// are its input, and its close ends the input.

import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { HijackedClient } from "../../streams/index.js";
import type { replies } from "../../shared/index.js";
import type { RequestHead } from "./request-head.js";
import { headerLines } from "./reply-head.js";

/** A message must be complete before any of it is passed on. */
const LONGEST_MESSAGE = 1024 * 1024;
/** How long to wait, after a client's close, for data that it sent before; then it counts as gone. */
const CLOSED_MS = 2000;
const NORMAL_CLOSURE = 1000;

export class WebSocketClient implements HijackedClient {
  readonly #connection: { socket: Duplex; early: Buffer };
  readonly #request: RequestHead;
  readonly #binary: boolean;
  readonly #gone: () => void;
  #socket: WebSocket | null = null;
  /** Messages that nobody has taken yet, usually one. */
  readonly #held: Uint8Array[] = [];
  #closed = false;
  #wake: () => void = () => {};

  /** `gone` is called when the client can no longer be reached. */
  constructor(
    connection: { socket: Duplex; early: Buffer },
    request: RequestHead,
    framing: replies.Framing,
    gone: () => void,
  ) {
    this.#connection = connection;
    this.#request = request;
    this.#binary = framing === "websocket-binary";
    // Wakes a reader that waits for input.
    this.#gone = () => {
      this.#closed = true;
      this.#wake();
      gone();
    };
    if (connection.socket.destroyed) this.#gone();
    connection.socket.once("close", this.#gone);
    connection.socket.on("error", this.#gone);
  }

  begin(head: replies.Head): void {
    const { socket, early } = this.#connection;
    socket.off("close", this.#gone);
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: LONGEST_MESSAGE,
    });
    server.on("headers", (lines) => {
      const accept = lines.filter((line) => /^Sec-WebSocket-Accept:/i.test(line));
      lines.splice(1, Infinity, ...headerLines(head.headers).split("\r\n").filter(Boolean), ...accept);
    });
    server.handleUpgrade(messageOf(this.#request), socket, early, (upgraded) => this.#opened(upgraded));
    if (this.#socket === null) this.#gone();
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let bytes = this.#held.shift(); bytes !== undefined; bytes = this.#held.shift()) yield bytes;
      if (this.#closed) break;
      this.#socket?.resume();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    setImmediate(this.#gone);
  }

  write(bytes: Uint8Array): Promise<boolean> {
    const socket = this.#socket;
    if (socket === null) return Promise.resolve(false);
    return new Promise((resolve) => socket.send(bytes, { binary: this.#binary }, (error) => resolve(!error)));
  }

  end(): void {
    this.#socket?.close(NORMAL_CLOSURE);
    this.#socket?.resume();
  }

  #opened(socket: WebSocket): void {
    this.#socket = socket;
    socket.binaryType = "nodebuffer";
    socket.on("message", (message) => {
      this.#held.push(message as Buffer);
      socket.pause();
      this.#wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed = true;
      this.#wake();
      setTimeout(this.#gone, CLOSED_MS).unref();
    });
  }
}

/** The part of the request that the library needs. */
function messageOf({ method, headers }: RequestHead): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = method;
  for (const line of headers.split("\n")) {
    const colon = line.indexOf(":");
    message.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return message;
}
