// A socket that listens for connections.

import { Waiting } from "../processes/streams.js";
import type { ConnectionEnd } from "./connection.js";
import type { Listening, NetworkNamespace } from "./namespace.js";

/** listen(2): how many connections may wait to be accepted. */
const BACKLOG = 4096;

export class Listener implements Listening {
  readonly #namespace: NetworkNamespace;
  readonly #waiting = new Waiting();
  readonly #queue: ConnectionEnd[] = [];

  /** `address`: one of the namespace's, `0.0.0.0` for all of IPv4, or `::` for all. Throws `SocketError` if it is not free. */
  constructor(
    namespace: NetworkNamespace,
    readonly address: string,
    readonly port: number,
  ) {
    this.#namespace = namespace;
    namespace.listeners.add(this);
  }

  /** A connection has arrived. False if too many wait. */
  offer(connection: ConnectionEnd): boolean {
    if (this.#queue.length === BACKLOG) return false;
    this.#queue.push(connection);
    this.#waiting.stir();
    return true;
  }

  /** The next connection; undefined if there is none yet. */
  take(): ConnectionEnd | undefined {
    return this.#queue.shift();
  }

  /** Calls back once there may be a connection. Returns a function that cancels this. */
  wake(more: () => void): () => void {
    return this.#waiting.add(more);
  }

  /** Connections that nobody has accepted end, too. */
  close(): void {
    this.#namespace.listeners.remove(this);
    for (const connection of this.#queue.splice(0)) connection.close();
  }
}
