// Requests from the program that embeds the engine: from `fetch` and `connect` into the core, and back.

import { contextOf, Exchange } from "../../request/index.js";
import type { Passage } from "../../request/index.js";
import { ConnectChannel } from "./connect-channel.js";
import type { Clients, Entrance } from "../entrance.js";
import { EngineClosed } from "../failures.js";
import type { Connection } from "./connection.js";
import { FetchChannel } from "./fetch-channel.js";
import type { LocalChannel } from "./fetch-channel.js";
import { headerLines, readRequest } from "./request.js";
import type { Asked } from "./request.js";
import { NO_BODY } from "./request-body.js";
import type { ReceivedBody } from "./request-body.js";

/** The name of this listener for the core. */
const LISTENER = "internal";
/** How often to check whether anybody still waits. */
const LOOK_MS = 5;
/** `connect` needs a request that gets a connection of its own. */
const UPGRADE = "Connection: Upgrade\nUpgrade: tcp";

export class LocalRequests implements Clients {
  readonly #entrance: Entrance;
  /** Unfinished requests, with callbacks for their end. */
  readonly #open = new Map<LocalChannel, () => void>();

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  /** Like `Engine.fetch`. */
  async fetch(input: Request | URL | string, init?: RequestInit): Promise<Response> {
    const asked = readRequest(input, init);
    const channel = new FetchChannel(asked.method);
    this.#send(asked, channel);
    return channel.response;
  }

  /** Like `Engine.connect`. */
  async connect(input: Request | URL | string, init?: RequestInit): Promise<Connection> {
    const channel = new ConnectChannel();
    this.#send(readRequest(input, init), channel, UPGRADE);
    return channel.connection;
  }

  /**
   * Delivers a request at once if it has no body or if the body's bytes are at hand. `extra`: additional header lines.
   */
  #send(asked: Asked, channel: LocalChannel, extra = ""): void {
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
    const lines = [headerLines(asked.headers), extra].filter((text) => text !== "").join("\n");
    const received = this.#receive(asked);
    const { method, target } = asked;
    const passage = this.#entrance.passage({ listener: LISTENER, method, target, headers: lines });
    if (!(passage instanceof Promise || received instanceof Promise)) {
      return this.#deliver(asked, received, channel, lines, passage);
    }
    Promise.all([received, passage])
      .then(([body, found]) => this.#deliver(asked, body, channel, lines, found))
      .catch((error: unknown) => {
        this.#fail(channel, error);
        void Promise.resolve(passage).then(
          (found) => found.unused(),
          () => {},
        );
      });
  }

  async drain(graceMs: number): Promise<void> {
    const last = performance.now() + graceMs;
    while (this.#waiting && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    for (const channel of [...this.#open.keys()]) if (channel.answered) this.#fail(channel, new EngineClosed());
  }

  close(): void {
    this.failAll(new EngineClosed());
  }

  /** Breaks off all unfinished requests. */
  failAll(error: unknown): void {
    for (const channel of [...this.#open.keys()]) this.#fail(channel, error);
  }

  /** Some wait for the head of their answer. */
  get #waiting(): boolean {
    return [...this.#open.keys()].some((channel) => !channel.answered);
  }

  #receive({ body, headers }: Asked): ReceivedBody | Promise<ReceivedBody> {
    const mediaType = headers.get("content-type")?.split(";", 1)[0]!.trim().toLowerCase() ?? "";
    return body === null ? NO_BODY : body.receive(mediaType, this.#entrance.bodyLimit);
  }

  #deliver(asked: Asked, received: ReceivedBody, channel: LocalChannel, headers: string, passage: Passage): void {
    const { door } = passage;
    // While the body was read, the client left or the engine went away.
    if (!this.#open.has(channel)) return passage.unused();
    this.#entrance.requireOpen();
    const id = door.nextRequest();
    const context = contextOf(door);
    const over = (): void => {
      context.over(id);
      this.#over(channel);
    };
    const exchange = new Exchange(id, passage.channel(channel), { ...context, over });
    channel.exchange = exchange;
    door.replies.add(id, exchange);
    if (received.offered !== null) door.bodies.offer(id, received.offered);
    const { method, target } = asked;
    const request = { id, listener: LISTENER, method, target, headers, body: received.body };
    door.deliver({ tag: "request", val: request });
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
