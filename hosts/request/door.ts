// Where requests come in: what a server, or a program that embeds an engine, needs of an instance to deliver a request
// and to receive its reply.

import type { RequestBodies } from "./bodies.js";
import type { Channel, ExchangeContext } from "./exchange.js";
import type { Input, RequestId, Stdio } from "../shared/index.js";
import type { ReplyRouter } from "./reply-router.js";
import type { Attachments } from "../streams/index.js";

export interface Door {
  nextRequest(): RequestId;
  deliver(input: Input): void;
  readonly replies: Pick<ReplyRouter, "add" | "remove">;
  readonly bodies: Pick<RequestBodies, "offer" | "offerSession" | "forget">;
  readonly stdio: Stdio;
  /** Clients that attach join these. */
  readonly attachments: Attachments;
}

/** The way of one request: its door, and how its reply is changed before the client sees it. */
export interface Passage {
  door: Door;
  channel(client: Channel): Channel;
  /** Call this if the client leaves before the request was delivered. */
  unused(): void;
}

/** The way of requests to the engine itself. */
export function straight(door: Door): Passage {
  return { door, channel: (client) => client, unused: () => {} };
}

/** What exchanges of requests through a door need. */
export function contextOf(door: Door): ExchangeContext {
  const { stdio, attachments } = door;
  return {
    deliver: (input) => door.deliver(input),
    stdio,
    attachments,
    over: (request) => {
      door.replies.remove(request);
      door.bodies.forget(request);
    },
  };
}
