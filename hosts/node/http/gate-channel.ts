// The channel of one exchange, for a client behind a gate.

import type { Duplex } from "node:stream";
import { Exchange } from "../../request/index.js";
import type { Channel, ExchangeContext, Session } from "../../request/index.js";
import type { HijackedClient } from "../../streams/index.js";
import type { RequestId, replies } from "../../shared/index.js";
import { sessionOn } from "../grpc/call-client.js";
import { serveCalls } from "../grpc/call-server.js";
import type { GrpcCall } from "../grpc/call-server.js";
import type { Gate } from "./gate.js";
import type { Ground } from "../ground.js";
import { hijackHead } from "./reply-head.js";
import { PREFACE, PREFACE_METHOD } from "./request-head.js";
import type { Response } from "./response.js";
import { SocketClient } from "./socket-client.js";
import { WebSocketClient } from "./websocket.js";

/** How long to wait for a client that has closed its side. It may be gone, or it may only have finished its request. */
const HALF_CLOSED_MS = 2000;

export interface GateContext extends ExchangeContext {
  hasHungUp: NonNullable<Ground["hasHungUp"]>;
  /** Takes calls that a client makes on a connection of its own. `carrier`: the request that became it. */
  called: (gate: Gate, carrier: RequestId, call: GrpcCall) => void;
  /** Bytes of a call's message that the core gets, at most. */
  bodyLimit: number;
  /** Keeps what a client gives on a session. */
  sessionOf: (id: RequestId, session: Session) => void;
  /** Wraps the client's channel, to change a reply before the client sees it. */
  channel: (client: Channel) => Channel;
}

/** The exchange for the request that a gate let through last. */
export function exchangeThrough(gate: Gate, id: RequestId, response: Response, context: GateContext): Exchange {
  const channel = new GateChannel(gate, id, response, context);
  const exchange = new Exchange(id, context.channel(channel), context);
  channel.reportTo(exchange);
  return exchange;
}

class GateChannel implements Channel {
  readonly #gate: Gate;
  readonly #id: RequestId;
  readonly #response: Response;
  readonly #context: GateContext;
  /** The connection was taken off HTTP. */
  #taken = false;
  /** The connection, if it carries calls. */
  #carried: Duplex | null = null;

  constructor(gate: Gate, id: RequestId, response: Response, context: GateContext) {
    this.#gate = gate;
    this.#id = id;
    this.#response = response;
    this.#context = context;
  }

  reportTo(exchange: Exchange): void {
    const finished = (): void => {
      // If it was over before it was sent, the reply was a plan of what the request would have done.
      if (!exchange.over) exchange.finished();
      this.#gate.next();
    };
    // The gate is also closed when its connection is taken over.
    const closed = (): void => {
      if (!this.#taken) exchange.closed();
    };
    this.#response.onEnd(finished, closed);
    this.#gate.onHalfClose(() => this.#halfClosed(exchange));
  }

  whole(head: replies.Head, body: Uint8Array, isStateless: boolean): void {
    this.#gate.answered = true;
    this.#response.whole(head, body, isStateless);
  }

  open(head: replies.Head): void {
    this.#gate.answered = true;
    this.#response.open(head);
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    this.#response.write(bytes, sent);
  }

  end(): void {
    if (this.#carried === null) this.#response.end();
    else this.#carried.end();
  }

  bare({ head, body }: replies.Whole): void {
    this.#taken = true;
    const { socket } = this.#gate.takeOver();
    socket.end(Buffer.concat([Buffer.from(hijackHead(head), "latin1"), body]));
    // Reads and drops what the client still sends, because its close comes after that.
    socket.resume();
  }

  hijack(gone: () => void, framing: replies.Framing): HijackedClient {
    this.#taken = true;
    const request = this.#gate.head!;
    const connection = this.#gate.takeOver();
    const isWebSocket = framing === "websocket-text" || framing === "websocket-binary";
    if (isWebSocket) return new WebSocketClient(connection, request, framing, gone);
    return new SocketClient(connection, this.#context.hasHungUp, gone);
  }

  calls({ head, caller, pulse }: replies.Calls, gone: () => void): void {
    this.#taken = true;
    const isNative = this.#gate.head?.method === PREFACE_METHOD;
    const { socket, early } = this.#gate.takeOver();
    if (!isNative) socket.write(hijackHead(head), "latin1");
    const first = isNative ? Buffer.concat([Buffer.from(PREFACE), early]) : early;
    if (first.length > 0) socket.unshift(first);
    // HTTP/2 knows no half-close: a client that ends its side has gone.
    socket.allowHalfOpen = false;
    this.#carried = socket;
    if (caller === "client") {
      const take = (call: GrpcCall): void => this.#context.called(this.#gate, this.#id, call);
      return serveCalls(socket, { take, gone, bodyLimit: this.#context.bodyLimit });
    }
    this.#context.sessionOf(this.#id, sessionOn(socket, pulse, gone));
  }

  destroy(): void {
    this.#gate.socket.destroy();
  }

  #halfClosed(exchange: Exchange): void {
    if (this.#response.ended) return;
    if (this.#response.headSent) this.#gate.destroy();
    setTimeout(() => {
      if (!exchange.over && !this.#taken) this.#gate.destroy();
    }, HALF_CLOSED_MS).unref();
  }
}
