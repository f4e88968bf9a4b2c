// One request of a client's and the reply to it.

import type { Input, RequestId, Stdio, engine, replies } from "../host.js";
import { Attachment } from "../streams/attach.js";
import type { Attachments } from "../streams/attachments.js";
import { serveLogs } from "../streams/logs.js";
import type { Gate } from "./gate.js";
import { hijackHead } from "./reply-head.js";
import type { ReplyReceiver } from "./reply-router.js";
import type { Response } from "./response.js";
import { SocketClient } from "./socket-client.js";

/** How long a client that has closed its side is waited for: it may have gone, or only be done with asking. */
const HALF_CLOSED_MS = 2000;

export interface ExchangeContext {
  deliver: (input: Input) => void;
  stdio: Stdio;
  /** Those attached to containers, among them the clients of this server. */
  attachments: Attachments;
  /** It is over: nobody needs it any more. */
  over: (request: RequestId) => void;
}

export class Exchange implements ReplyReceiver {
  readonly #id: RequestId;
  readonly #gate: Gate;
  readonly #response: Response;
  readonly #context: ExchangeContext;
  /** Of a reply whose bytes the host moves. */
  #movement: Movement | null = null;
  #hijacked = false;
  #over = false;

  constructor(id: RequestId, gate: Gate, response: Response, context: ExchangeContext) {
    this.#id = id;
    this.#gate = gate;
    this.#response = response;
    this.#context = context;
    response.onEnd(this.#finished, this.#closed);
    gate.onHalfClose(this.#halfClosed);
  }

  perform(command: replies.ReplyCommand): void {
    if (this.#over) return;
    switch (command.tag) {
      case "whole":
        return this.#response.whole(command.val.head, command.val.body);
      case "bare":
        return this.#bare(command.val);
      case "open":
        return this.#response.open(command.val);
      case "chunk":
        return this.#chunk(command.val);
      case "splice":
        return void this.#splice(command.val.val);
      case "hijack":
        return void this.#hijack(command.val);
      case "end":
        if (this.#movement === null) this.#response.end();
        else this.#movement.drain.abort();
        return;
      case "cut":
        this.#end();
        this.#gate.socket.destroy();
        return;
    }
  }

  #bare({ head, body }: replies.Whole): void {
    this.#hijacked = true;
    const { socket } = this.#gate.takeOver();
    this.#end();
    socket.end(Buffer.concat([Buffer.from(hijackHead(head), "latin1"), body]));
  }

  #chunk(bytes: Uint8Array): void {
    this.#response.write(bytes, () => {
      if (!this.#over) {
        this.#context.deliver({ tag: "drained", val: { request: this.#id, bytes: bytes.length } });
      }
    });
  }

  async #splice(source: replies.LogSource): Promise<void> {
    const { drain, gone } = (this.#movement = newMovement());
    const sink = { write: (bytes: Uint8Array) => this.#write(bytes) };
    try {
      const log = await this.#context.stdio.log(source.container);
      try {
        await serveLogs(source, log, sink, drain.signal, gone.signal);
      } finally {
        await log.close();
      }
    } catch {
      this.#lost("failed");
      this.#gate.socket.destroy();
      return;
    }
    if (!this.#over) this.#response.end();
  }

  #write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#response.write(bytes, (wentOut) => resolve(wentOut && !this.#over)));
  }

  async #hijack(hijack: replies.Hijack): Promise<void> {
    this.#hijacked = true;
    const { drain, gone } = (this.#movement = newMovement());
    const { socket, early } = this.#gate.takeOver();
    const client = new SocketClient(socket, early, () => gone.abort());
    let ending: engine.Closing | "ended" = "failed";
    try {
      const attachment = await Attachment.bind(hijack, this.#context.stdio);
      this.#context.attachments.add(hijack.container, attachment);
      client.begin(hijackHead(hijack.head));
      ending = await attachment.run(client, drain.signal, gone.signal);
      this.#context.attachments.remove(hijack.container, attachment);
    } catch {
      socket.destroy();
    }
    if (ending === "ended" || drain.signal.aborted) this.#end();
    else this.#lost(ending);
    client.end();
  }

  readonly #halfClosed = (): void => {
    if (this.#response.ended) return;
    if (this.#response.headSent) this.#gate.destroy();
    setTimeout(() => {
      if (!this.#over && !this.#hijacked) this.#gate.destroy();
    }, HALF_CLOSED_MS).unref();
  };

  /** The reply has gone out. */
  readonly #finished = (): void => {
    if (this.#over) return;
    // The source was at its end before the core said so.
    if (this.#movement !== null && !this.#movement.drain.signal.aborted) this.#lost("source-ended");
    else this.#end();
    this.#gate.next();
  };

  readonly #closed = (): void => this.#lost("client");

  /** It ends without the core having said so. */
  #lost(why: engine.Closing): void {
    if (this.#over || (this.#hijacked && why === "client" && !this.#movement?.gone.signal.aborted)) return;
    this.#end();
    this.#context.deliver({ tag: "closed", val: { request: this.#id, why } });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#movement?.gone.abort();
    this.#context.over(this.#id);
  }
}

/** What moves bytes by itself is told: `drain`, the core wants the end; `gone`, nobody is there any more. */
interface Movement {
  drain: AbortController;
  gone: AbortController;
}

function newMovement(): Movement {
  return { drain: new AbortController(), gone: new AbortController() };
}
