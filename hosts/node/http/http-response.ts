// A reply through Node's HTTP server.

import type { ServerResponse } from "node:http";
import type { replies } from "../../shared/index.js";
import { isCounted, isLengthless, namesAndValues } from "../../request/index.js";
import type { Response } from "./response.js";

export class HttpResponse implements Response {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("error", () => {});
  }

  get headSent(): boolean {
    return this.#response.headersSent;
  }

  get ended(): boolean {
    return this.#response.writableEnded;
  }

  whole(head: replies.Head, body: Uint8Array): void {
    this.#writeHead(head, body.length);
    this.#response.end(body);
  }

  open(head: replies.Head): void {
    this.#writeHead(head, null);
    this.#response.flushHeaders();
  }

  write(bytes: Uint8Array, sent: (wentOut: boolean) => void): void {
    this.#response.write(bytes, (error) => sent(!error));
  }

  end(): void {
    this.#response.end();
  }

  onEnd(finished: () => void, closed: () => void): void {
    let over = false;
    const once = (then: () => void) => () => {
      if (!over) then();
      over = true;
    };
    this.#response.once("finish", once(finished)).once("close", once(closed));
  }

  #writeHead(head: replies.Head, length: number | null): void {
    const response = this.#response;
    const lines = namesAndValues(head.headers);
    // On HTTP/1.1 a connection is kept by default, and Go's server does not say so either.
    if (response.shouldKeepAlive && response.req.httpVersionMinor === 1) response.removeHeader("Connection");
    const { method = "" } = response.req;
    const counted = length !== null && isCounted(head.status, length) && !isLengthless(method, head.headers, length);
    response.writeHead(head.status, counted ? [...lines, "Content-Length", String(length)] : [...lines]);
  }
}
