// One request of a client's and the reply to it.

import type { ServerResponse } from "node:http";
import type { Input, RequestId, Stdio, engine, replies } from "../host.js";
import { Attachment } from "../streams/attach.js";
import { serveLogs } from "../streams/logs.js";
import type { Gate } from "./gate.js";
import { hijackHead, writeHead } from "./reply-head.js";
import type { ReplyReceiver } from "./reply-router.js";
import { SocketClient } from "./socket-client.js";

/** How long a client that has closed its side is waited for: it may have gone, or only be done with asking. */
const HALF_CLOSED_MS = 2000;

export interface ExchangeContext {
  deliver: (input: Input) => void;
  stdio: Stdio;
  /** It is over: nobody needs it any more. */
  over: (request: RequestId) => void;
}

export class Exchange implements ReplyReceiver {
  readonly #id: RequestId;
  readonly #gate: Gate;
  readonly #response: ServerResponse;
  readonly #context: ExchangeContext;
  /** The core wants the end: what moves bytes by itself drains its source. */
  readonly #drain = new AbortController();
  readonly #gone = new AbortController();
  #spliced = false;
  #hijacked = false;
  #over = false;

  constructor(id: RequestId, gate: Gate, response: ServerResponse, context: ExchangeContext) {
    this.#id = id;
    this.#gate = gate;
    this.#response = response;
    this.#context = context;
    response.once("finish", () => this.#finished());
    response.once("close", () => this.#lost("client"));
    response.on("error", () => {});
    gate.onHalfClose(() => this.#halfClosed());
  }

  perform(command: replies.ReplyCommand): void {
    if (this.#over) return;
    switch (command.tag) {
      case "whole":
        writeHead(this.#response, command.val.head, command.val.body.length);
        this.#response.end(command.val.body);
        return;
      case "open":
        writeHead(this.#response, command.val, null);
        this.#response.flushHeaders();
        return;
      case "chunk":
        return this.#chunk(command.val);
      case "splice":
        return void this.#splice(command.val.val);
      case "hijack":
        return void this.#hijack(command.val);
      case "end":
        this.#drain.abort();
        if (!this.#spliced && !this.#hijacked) this.#response.end();
        return;
      case "cut":
        this.#end();
        this.#gate.socket.destroy();
        return;
    }
  }

  #chunk(bytes: Uint8Array): void {
    this.#response.write(bytes, () => {
      if (!this.#over) {
        this.#context.deliver({ tag: "drained", val: { request: this.#id, bytes: bytes.length } });
      }
    });
  }

  async #splice(source: replies.LogSource): Promise<void> {
    this.#spliced = true;
    const sink = { write: (bytes: Uint8Array) => this.#write(bytes) };
    try {
      const log = await this.#context.stdio.log(source.container);
      try {
        await serveLogs(source, log, sink, this.#drain.signal, this.#gone.signal);
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
    return new Promise((resolve) => this.#response.write(bytes, (error) => resolve(!error && !this.#over)));
  }

  async #hijack(hijack: replies.Hijack): Promise<void> {
    this.#hijacked = true;
    const { socket, early } = this.#gate.takeOver();
    const client = new SocketClient(socket, early, () => this.#gone.abort());
    let ending: engine.Closing | "ended" = "failed";
    try {
      const attachment = await Attachment.bind(hijack, this.#context.stdio);
      client.begin(hijackHead(hijack.head));
      ending = await attachment.run(client, this.#drain.signal, this.#gone.signal);
    } catch {
      socket.destroy();
    }
    if (ending === "ended" || this.#drain.signal.aborted) this.#end();
    else this.#lost(ending);
    client.end();
  }

  #halfClosed(): void {
    if (this.#response.writableEnded) return;
    if (this.#response.headersSent) this.#gate.destroy();
    setTimeout(() => {
      if (!this.#over && !this.#hijacked) this.#gate.destroy();
    }, HALF_CLOSED_MS).unref();
  }

  /** The reply has gone out. */
  #finished(): void {
    if (this.#over) return;
    // The source was at its end before the core said so.
    if (this.#spliced && !this.#drain.signal.aborted) this.#lost("client");
    else this.#end();
    this.#gate.next();
  }

  /** It ends without the core having said so. */
  #lost(why: engine.Closing): void {
    if (this.#over || (this.#hijacked && why === "client" && !this.#gone.signal.aborted)) return;
    this.#end();
    this.#context.deliver({ tag: "closed", val: { request: this.#id, why } });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#gone.abort();
    this.#context.over(this.#id);
  }
}
