// A process's use of a socket for datagrams.

import { either } from "../processes/streams.js";
import type { ProcessDatagrams } from "../program.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { MOST_DATAGRAM_BYTES, type DatagramSocket } from "./datagram-socket.js";
import { SocketError } from "./errors.js";
import type { Datagram } from "./namespace.js";
import type { Owner } from "./owner.js";
import type { Traffic } from "./traffic.js";

/** The sockets of the process. */
export interface Holding {
  own<T extends Closed>(opened: T): T;
  disown(opened: Closed): void;
  release(opened: Closed): void;
}

interface Closed {
  close(): void;
}

export class OwnedDatagrams implements ProcessDatagrams {
  readonly #process: Owner;
  readonly #traffic: Traffic;
  readonly #socket: DatagramSocket;
  readonly #holder: Holding;

  /** `holder`: closes what the process still has when it ends. */
  constructor(process: Owner, traffic: Traffic, socket: DatagramSocket, holder: Holding) {
    this.#process = process;
    this.#traffic = traffic;
    this.#socket = socket;
    this.#holder = holder;
  }

  get port(): number {
    return this.#socket.port;
  }

  async send(to: Peer, bytes: Uint8Array): Promise<void> {
    await this.#process.work(0);
    if (bytes.length > MOST_DATAGRAM_BYTES) throw new SocketError("EMSGSIZE");
    const error = this.#traffic.datagrams.send(this.#socket, to, bytes);
    if (error !== null) throw new SocketError(error);
  }

  async receive(): Promise<{ bytes: Uint8Array; from: Peer }> {
    for (;;) {
      await this.arrival();
      const taken = this.#socket.take();
      if (typeof taken === "string") throw new SocketError(taken);
      if (taken) return { bytes: taken.bytes, from: taken.from }; // otherwise another one was faster
    }
  }

  /** Waits for a datagram, which stays. Throws `SocketError` if there is none for `patience` nanoseconds. */
  async arrival(patience?: bigint): Promise<Datagram> {
    const { clock } = this.#process;
    const end = patience === undefined ? null : clock.now().monotonic + patience;
    const wake = (call: () => void): (() => void) => this.#socket.wake(call);
    for (;;) {
      const datagram = this.#socket.peek();
      if (datagram) return datagram;
      if (end !== null && clock.now().monotonic >= end) throw new SocketError("ETIMEDOUT");
      await this.#process.wait(end === null ? wake : either(wake, (late) => clock.at(end, late)));
    }
  }

  /** connect(2). The socket is the end's from now on. Throws `SocketError` if there is no way. */
  connect(peer: Peer): ConnectionEnd {
    const end = this.#traffic.datagrams.connect(this.#socket, peer);
    this.#holder.disown(this.#socket);
    return this.#holder.own(end);
  }

  close(): void {
    this.#holder.release(this.#socket);
  }
}
