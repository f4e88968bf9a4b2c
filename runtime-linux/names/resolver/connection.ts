// A client's connection (RFC 7766). The next query is taken when the client has read the answer to the last one. So a
// connection holds no more than a query, an answer and the beginning of what comes next, whatever is sent there. What comes
// next is read meanwhile, since only a read tells that the client has gone.

import type { OnReadOpts, Socket } from "node:net";
import { readInto } from "../../followers/accepted.js";
import { Frames, lengthOf } from "./frames.js";
import { LONGEST_QUERY } from "./messages.js";
import type { Placed } from "./places.js";

/** A client that is silent for longer can connect again. */
const IDLE_MS = 10_000;
/** Of all connections: what is read there is taken at once. */
const READ = Buffer.allocUnsafeSlow(4096);

/** What a connection needs. */
export interface Asked {
  /** Acts later, when it is the container's turn. */
  turn(act: () => void): void;
  /**
   * `reply` is called once, now or later; never for what is no query. If other servers are asked, returns how to stop
   * that.
   */
  respond(query: Buffer, reply: (answer: Buffer) => void): (() => void) | undefined;
}

export class Connection implements Placed {
  readonly #frames = new Frames();
  #socket: Socket | undefined;
  /** A query waits for its turn, or for its answer. */
  #isBusy = false;
  /** Nothing more is read for now. */
  #isPaused = false;
  /** The client sends nothing more. It has gone, as far as anybody can tell. */
  #hasEnded = false;
  /** Stops what is asked of other servers. */
  #stop: (() => void) | undefined;

  /** `accepted`: paused. `closed` is called when it has ended. */
  constructor(
    private readonly accepted: Socket,
    private readonly asked: Asked,
    private readonly closed: () => void,
  ) {}

  begin(): void {
    const onread: OnReadOpts = { buffer: READ, callback: (length) => this.#read(READ.subarray(0, length)) };
    const socket = readInto(onread, this.accepted);
    if (socket === undefined) return this.closed();
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("end", () => this.#ended());
    socket.on("close", () => {
      this.#stop?.();
      this.closed();
    });
    socket.setTimeout(IDLE_MS, () => this.end());
  }

  end(): void {
    if (this.#socket !== undefined) return void this.#socket.destroy();
    this.accepted.destroy();
    this.closed();
  }

  /** False: nothing more is read for now. */
  #read(bytes: Uint8Array): boolean {
    this.#frames.add(bytes);
    if (!this.#isBusy) this.#goOn();
    this.#isPaused = !this.#hasRoom;
    return !this.#isPaused;
  }

  /** For the next query, with its length before it. */
  get #hasRoom(): boolean {
    return this.#frames.bytes < 2 + LONGEST_QUERY;
  }

  /** Lets the next query wait for its turn. */
  #goOn(): void {
    // That is no query.
    if (this.#frames.nextLength > LONGEST_QUERY) return this.end();
    const query = this.#frames.next();
    this.#isBusy = query !== undefined;
    if (query !== undefined) this.asked.turn(() => this.#take(query));
    else if (this.#hasEnded) this.#socket?.end();
    if (this.#isPaused && this.#hasRoom) this.#socket?.resume();
  }

  /** What is known here is still answered. Nobody waits for other servers any more (RFC 7766, 6.2.4). */
  #ended(): void {
    this.#hasEnded = true;
    if (this.#stop !== undefined) this.end();
    else if (!this.#isBusy) this.#socket?.end();
  }

  /** A client that sends something else is silent from then on, and one that does not read is, too. */
  #take(query: Buffer): void {
    if (this.#socket?.destroyed !== false) return;
    this.#stop = this.asked.respond(query, (answer) => this.#answer(answer));
    if (this.#stop !== undefined && this.#hasEnded) this.end();
  }

  #answer(answer: Buffer): void {
    this.#stop = undefined;
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed || socket.writableEnded) return;
    socket.cork();
    socket.write(lengthOf(answer));
    socket.write(answer, () => this.#goOn());
    socket.uncork();
  }
}
