// A connection that was taken off HTTP, as the client of an attachment.

import type { Duplex } from "node:stream";
import type { HijackedClient } from "../exchange.js";
import type { replies } from "../host.js";
import type { Ground } from "./ground.js";
import { hijackHead } from "./reply-head.js";

/** How often a client that sends nothing more is looked after. */
const LOOK_MS = 3000;

export class SocketClient implements HijackedClient {
  readonly #socket: Duplex;
  readonly #early: Uint8Array;
  readonly #hasHungUp: NonNullable<Ground["hasHungUp"]>;

  /** `early`: what the client sent together with its request. `gone` is called when it can be reached no more. */
  constructor(
    { socket, early }: { socket: Duplex; early: Uint8Array },
    hasHungUp: NonNullable<Ground["hasHungUp"]>,
    gone: () => void,
  ) {
    this.#socket = socket;
    this.#early = early;
    this.#hasHungUp = hasHungUp;
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
    this.#watch();
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#socket.write(bytes, (error) => resolve(!error)));
  }

  /** Closes our side, and reads off what the client may still send, so that its close is noticed. */
  end(): void {
    this.#socket.end();
    this.#socket.resume();
  }

  /**
   * A client that sends nothing more may wait for what comes, or may have gone: as long as there is nothing to tell it,
   * its end looks like its half-close.
   */
  #watch(): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    const look = (): void => {
      const descriptor = descriptorOf(socket);
      if (descriptor >= 0 && this.#hasHungUp(descriptor)) socket.destroy();
    };
    const timer = setInterval(look, LOOK_MS).unref();
    socket.once("close", () => clearInterval(timer));
  }
}

/** Of a socket of the machine; -1 for what only stands for one. */
function descriptorOf(socket: Duplex): number {
  const { fd = -1 } = (socket as unknown as { _handle?: { fd?: number } | null })._handle ?? {};
  return fd;
}
