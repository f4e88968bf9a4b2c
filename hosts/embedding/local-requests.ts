// Requests of the program that the engine is embedded in: from `fetch` and `connect` into the core, and back.

import type { RequestBodies } from "../bodies.js";
import { Exchange } from "../exchange.js";
import type { Input, RequestId, Stdio } from "../host.js";
import type { ReplyRouter } from "../reply-router.js";
import type { Attachments } from "../streams/attachments.js";
import type { LocalChannel } from "./fetch-channel.js";
import { headerLines } from "./request.js";
import type { Asked } from "./request.js";
import { NO_BODY } from "./request-body.js";
import type { ReceivedBody } from "./request-body.js";

/** The side of an engine that requests come in at, over whichever way. */
export interface Entrance {
  /** Throws what whoever asks is told when the engine takes no requests. */
  requireOpen(): void;
  nextRequest(): RequestId;
  deliver(input: Input): void;
  readonly replies: ReplyRouter;
  readonly bodies: RequestBodies;
  readonly stdio: Stdio;
  readonly attachments: Attachments;
  /** Bytes beyond which a JSON body is thrown away. */
  readonly bodyLimit: number;
}

export class LocalRequests {
  readonly #entrance: Entrance;
  /** Those that are not over. */
  readonly #open = new Set<LocalChannel>();

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Some wait for the head of their answer. */
  get waiting(): boolean {
    return [...this.#open].some((channel) => !channel.answered);
  }

  /** Delivers at once what has no body, or one whose bytes are at hand. `extra`: header lines besides those asked. */
  send(asked: Asked, channel: LocalChannel, extra = ""): void {
    this.#entrance.requireOpen();
    asked.signal?.throwIfAborted();
    this.#open.add(channel);
    const abort = (): void => this.#abort(asked, channel);
    asked.signal?.addEventListener("abort", abort);
    const over = (): void => {
      asked.signal?.removeEventListener("abort", abort);
      asked.body?.giveUp();
      this.#open.delete(channel);
    };
    const received = this.#receive(asked);
    if (!(received instanceof Promise)) return this.#deliver(asked, received, channel, extra, over);
    received
      .then((body) => this.#deliver(asked, body, channel, extra, over))
      .catch((error: unknown) => {
        over();
        channel.fail(error);
      });
  }

  /** Breaks all off that are not over. */
  failAll(error: unknown): void {
    for (const channel of this.#open) {
      channel.fail(error);
      channel.exchange?.perform({ tag: "cut" });
    }
    this.#open.clear();
  }

  #receive({ body, headers }: Asked): ReceivedBody | Promise<ReceivedBody> {
    const mediaType = headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
    return body === null ? NO_BODY : body.receive(mediaType, this.#entrance.bodyLimit);
  }

  #deliver(asked: Asked, received: ReceivedBody, channel: LocalChannel, extra: string, over: () => void): void {
    // Left, or lost its engine, while its body was read.
    if (!this.#open.has(channel)) return over();
    this.#entrance.requireOpen();
    const { replies, bodies, stdio, attachments } = this.#entrance;
    const id = this.#entrance.nextRequest();
    const exchange = new Exchange(id, channel, {
      deliver: (input) => this.#entrance.deliver(input),
      stdio,
      attachments,
      over: () => {
        replies.remove(id);
        bodies.forget(id);
        over();
      },
    });
    channel.exchange = exchange;
    replies.add(id, exchange);
    if (received.offered !== null) bodies.offer(id, received.offered);
    const { method, target, headers } = asked;
    const lines = [headerLines(headers), extra].filter((text) => text !== "").join("\n");
    const request = { id, listener: "internal", method, target, headers: lines, body: received.body };
    this.#entrance.deliver({ tag: "request", val: request });
  }

  #abort(asked: Asked, channel: LocalChannel): void {
    this.#open.delete(channel);
    channel.fail(asked.signal!.reason);
    channel.exchange?.closed();
    if (channel.exchange === null) asked.body?.giveUp();
  }
}
