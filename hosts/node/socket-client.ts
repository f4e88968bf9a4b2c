// A connection that was taken off HTTP, as the client of an attachment.

import type { Duplex } from "node:stream";
import type { HijackedClient } from "../exchange.js";
import type { replies } from "../host.js";
import { hijackHead } from "./reply-head.js";

export class SocketClient implements HijackedClient {
  readonly #socket: Duplex;
  readonly #early: Uint8Array;

  /** `early`: what the client sent together with its request. `gone` is called when it can be reached no more. */
  constructor(socket: Duplex, early: Uint8Array, gone: () => void) {
    this.#socket = socket;
    this.#early = early;
    if (socket.destroyed) gone();
    socket.once("close", gone);
    socket.on("error", gone);
  }

  begin(head: replies.Head): void {
    this.#socket.write(hijackHead(head), "latin1");
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    if (this.#early.length > 0) yield this.#early;
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
    } catch {
      // Told by `gone`.
    }
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#socket.write(bytes, (error) => resolve(!error)));
  }

  /** Closes our side, and reads off what the client may still send, so that its close is noticed. */
  end(): void {
    this.#socket.end();
    this.#socket.resume();
  }
}
