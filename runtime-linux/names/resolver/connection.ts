// A client's connection (RFC 7766). The next query is taken when the client has read the answer to the last one. So a
// connection holds no more than a query and an answer, whatever is sent there.

import type { OnReadOpts, Socket } from "node:net";
import { readInto } from "../../followers/accepted.js";
import { Frames, lengthOf } from "./frames.js";
import { LONGEST_QUERY } from "./messages.js";
import type { Endable } from "./shares.js";

/** A client that is silent for longer can connect again. */
const IDLE_MS = 10_000;
/** Of all connections: what is read there is taken at once. */
const READ = Buffer.allocUnsafeSlow(4096);

/** What a connection needs. */
export interface Asked {
  /** Acts later, when it is the container's turn. */
  turn(act: () => void): void;
  /** `reply` is called once, now or later; never for what is no query. */
  respond(query: Buffer, reply: (answer: Buffer) => void): void;
}

export class Connection implements Endable {
  readonly #frames = new Frames();
  readonly #socket: Socket | undefined;
  /** What it has sent is not all taken, so nothing more is read. */
  #isHeld = false;

  constructor(
    accepted: Socket,
    private readonly asked: Asked,
  ) {
    const onread: OnReadOpts = { buffer: READ, callback: (length) => this.#read(READ.subarray(0, length)) };
    this.#socket = readInto(onread, accepted);
    this.#socket?.on("error", () => {});
    this.#socket?.on("end", () => this.#socket?.end());
    this.#socket?.setTimeout(IDLE_MS, () => this.end());
  }

  end(): void {
    this.#socket?.destroy();
  }

  onClose(closed: () => void): void {
    if (this.#socket === undefined) closed();
    else this.#socket.on("close", closed);
  }

  /** False: nothing more is read for now. */
  #read(bytes: Uint8Array): boolean {
    this.#frames.add(bytes);
    this.#goOn();
    return !this.#isHeld;
  }

  /** Lets the next query wait for its turn. */
  #goOn(): void {
    // That is no query.
    if (this.#frames.nextLength > LONGEST_QUERY) return this.end();
    const wasHeld = this.#isHeld;
    const query = this.#frames.next();
    this.#isHeld = query !== undefined;
    if (query !== undefined) this.asked.turn(() => this.#take(query));
    else if (wasHeld) this.#socket?.resume();
  }

  /** A client that sends something else is silent from then on, and one that does not read is, too. */
  #take(query: Buffer): void {
    if (this.#socket?.destroyed === false) this.asked.respond(query, (answer) => this.#answer(answer));
  }

  #answer(answer: Buffer): void {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed || socket.writableEnded) return;
    socket.cork();
    socket.write(lengthOf(answer));
    socket.write(answer, () => this.#goOn());
    socket.uncork();
  }
}
