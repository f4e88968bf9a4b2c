// A connection that was taken off HTTP, as the client of an attachment.

import type { Duplex } from "node:stream";
import type { HijackedClient } from "../../streams/index.js";
import type { replies } from "../../shared/index.js";
import type { Ground } from "../ground.js";
import { hijackHead } from "./reply-head.js";

/** How often to check whether a silent client is still there. */
const LOOK_MS = 3000;
/** How much is read ahead. */
const READ_AHEAD = 64 * 1024;

export class SocketClient implements HijackedClient {
  readonly #socket: Duplex;
  readonly #hasHungUp: NonNullable<Ground["hasHungUp"]>;
  /** Read, but not taken yet. If the connection breaks off, what was sent before is not lost. */
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isOver = false;
  #wake: () => void = () => {};

  /** `early`: what the client sent along with its request. `gone` is called when it can no longer be reached. */
  constructor(
    { socket, early }: { socket: Duplex; early: Uint8Array },
    hasHungUp: NonNullable<Ground["hasHungUp"]>,
    gone: () => void,
  ) {
    this.#socket = socket;
    this.#hasHungUp = hasHungUp;
    if (early.length > 0) this.#take(early);
    socket.on("data", (bytes: Uint8Array) => this.#take(bytes));
    // If the client ended along with the request, its data has been read to the end by now.
    if (socket.readableEnded) this.#close();
    socket.once("end", () => this.#close());
    const left = (): void => {
      this.#close();
      gone();
    };
    if (socket.destroyed) left();
    socket.once("close", left);
    socket.on("error", left);
  }

  begin(head: replies.Head): void {
    this.#socket.write(hijackHead(head), "latin1");
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let bytes = this.#held.shift(); bytes !== undefined; bytes = this.#held.shift()) {
        this.#heldBytes -= bytes.length;
        yield bytes;
      }
      if (this.#isOver) return this.#watch();
      this.#socket.resume();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async write(bytes: Uint8Array): Promise<boolean> {
    await afterReading();
    return new Promise((resolve) => this.#socket.write(bytes, (error) => resolve(!error)));
  }

  /** Closes our side, and drops what the client still sends, so that its close is noticed. */
  end(): void {
    this.#close();
    void afterReading().then(() => this.#socket.end());
    this.#socket.resume();
  }

  #take(bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= READ_AHEAD) this.#socket.pause();
    this.#wake();
  }

  #close(): void {
    this.#isOver = true;
    this.#wake();
  }

  /**
   * A client that sends nothing more may wait for output, or may be gone. As long as there is nothing to write, its end
   * looks like its half-close.
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

/**
 * A write to a client that has left breaks the connection off, and unread data is lost. So read what has arrived first.
 * The first turn may be the current one, which has polled already.
 */
function afterReading(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

/** Descriptor of a real socket; -1 for a stand-in. */
export function descriptorOf(socket: Duplex): number {
  const { fd = -1 } = (socket as unknown as { _handle?: { fd?: number } | null })._handle ?? {};
  return fd;
}
