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
  /** Those that are not over, with what is to be done when they are. */
  readonly #open = new Map<LocalChannel, () => void>();

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Some wait for the head of their answer. */
  get waiting(): boolean {
    return [...this.#open.keys()].some((channel) => !channel.answered);
  }

  /** Delivers at once what has no body, or one whose bytes are at hand. `extra`: header lines besides those asked. */
  send(asked: Asked, channel: LocalChannel, extra = ""): void {
    try {
      this.#entrance.requireOpen();
      asked.signal?.throwIfAborted();
    } catch (error) {
      asked.body?.giveUp();
      throw error;
    }
    const abort = (): void => this.#fail(channel, asked.signal!.reason);
    asked.signal?.addEventListener("abort", abort);
    this.#open.set(channel, () => {
      asked.signal?.removeEventListener("abort", abort);
      asked.body?.giveUp();
    });
    const received = this.#receive(asked);
    if (!(received instanceof Promise)) return this.#deliver(asked, received, channel, extra);
    received
      .then((body) => this.#deliver(asked, body, channel, extra))
      .catch((error: unknown) => this.#fail(channel, error));
  }

  /** Breaks all off that are not over. */
  failAll(error: unknown): void {
    for (const channel of [...this.#open.keys()]) this.#fail(channel, error);
  }

  #receive({ body, headers }: Asked): ReceivedBody | Promise<ReceivedBody> {
    const mediaType = headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
    return body === null ? NO_BODY : body.receive(mediaType, this.#entrance.bodyLimit);
  }

  #deliver(asked: Asked, received: ReceivedBody, channel: LocalChannel, extra: string): void {
    // Left, or lost its engine, while its body was read.
    if (!this.#open.has(channel)) return;
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
        this.#over(channel);
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

  /** Its client has left, or is sent away. */
  #fail(channel: LocalChannel, error: unknown): void {
    channel.fail(error);
    channel.exchange?.closed();
    this.#over(channel);
  }

  #over(channel: LocalChannel): void {
    const end = this.#open.get(channel);
    this.#open.delete(channel);
    end?.();
  }
}
