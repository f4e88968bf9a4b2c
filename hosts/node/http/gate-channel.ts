// A client behind a gate, as the channel of one exchange.

import { Exchange } from "../../request/index.js";
import type { Channel, ExchangeContext } from "../../request/index.js";
import type { HijackedClient } from "../../streams/hijacked-client.js";
import type { RequestId, replies } from "../../shared/host.js";
import type { Gate } from "./gate.js";
import type { Ground } from "../ground.js";
import { hijackHead } from "./reply-head.js";
import type { Response } from "./response.js";
import { SocketClient } from "./socket-client.js";
import { WebSocketClient } from "./websocket.js";

/** How long a client that has closed its side is waited for: it may have gone, or only be done with asking. */
const HALF_CLOSED_MS = 2000;

export interface GateContext extends ExchangeContext {
  hasHungUp: NonNullable<Ground["hasHungUp"]>;
  /** What is done to a reply before the client sees it. */
  channel: (client: Channel) => Channel;
}

/** The exchange of the request that a gate let through last. */
export function exchangeThrough(gate: Gate, id: RequestId, response: Response, context: GateContext): Exchange {
  const channel = new GateChannel(gate, response, context);
  const exchange = new Exchange(id, context.channel(channel), context);
  channel.reportTo(exchange);
  return exchange;
}

class GateChannel implements Channel {
  readonly #gate: Gate;
  readonly #response: Response;
  readonly #context: GateContext;
  /** Off HTTP. */
  #taken = false;

  constructor(gate: Gate, response: Response, context: GateContext) {
    this.#gate = gate;
    this.#response = response;
    this.#context = context;
  }

  reportTo(exchange: Exchange): void {
    const finished = (): void => {
      // One that was over before it was sent: a plan of what would have been done in its place.
      if (!exchange.over) exchange.finished();
      this.#gate.next();
    };
    // The gate is closed when its connection is taken over, too.
    const closed = (): void => {
      if (!this.#taken) exchange.closed();
    };
    this.#response.onEnd(finished, closed);
    this.#gate.onHalfClose(() => this.#halfClosed(exchange));
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#gate.answered = true;
    this.#response.whole(head, body);
  }

  open(head: replies.Head): void {
    this.#gate.answered = true;
    this.#response.open(head);
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    this.#response.write(bytes, sent);
  }

  end(): void {
    this.#response.end();
  }

  bare({ head, body }: replies.Whole): void {
    this.#taken = true;
    const { socket } = this.#gate.takeOver();
    socket.end(Buffer.concat([Buffer.from(hijackHead(head), "latin1"), body]));
    // What the client goes on sending is read off: behind it its close would not be noticed.
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
