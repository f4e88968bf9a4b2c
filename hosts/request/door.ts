// Where requests come in: what a server, or a program that embeds an engine, needs of an instance to bring it a request
// and to take its reply away.

import type { RequestBodies } from "./bodies.js";
import type { Channel, ExchangeContext } from "./exchange.js";
import type { Input, RequestId, Stdio } from "../shared/host.js";
import type { ReplyRouter } from "./reply-router.js";
import type { Attachments } from "../streams/attachments.js";

export interface Door {
  nextRequest(): RequestId;
  deliver(input: Input): void;
  readonly replies: Pick<ReplyRouter, "add" | "remove">;
  readonly bodies: Pick<RequestBodies, "offer" | "forget">;
  readonly stdio: Stdio;
  /** Joined by the clients that attach. */
  readonly attachments: Attachments;
}

/** The way of one request: through which door, and what is done to its reply before the client sees it. */
export interface Passage {
  door: Door;
  channel(client: Channel): Channel;
  /** To be called when the client went away before the request was delivered. */
  unused(): void;
}

/** The way of requests to the engine itself. */
export function straight(door: Door): Passage {
  return { door, channel: (client) => client, unused: () => {} };
}

/** What the exchanges of requests through a door need. */
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
