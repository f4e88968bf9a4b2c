// A socket for datagrams (udp(7)).

import { Waiting, type Sink, type Source } from "../processes/streams.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { SocketError, type SocketErrorCode } from "./errors.js";
import type { Datagram, NetworkNamespace, Receiving } from "./namespace.js";

/** How many bytes may be unread; more are lost (net.core.rmem_default). */
const BUFFER_BYTES = 212_992;
/** What the kernel adds for each datagram in a buffer: even empty ones fill it (skb->truesize). */
const KEPT_BYTES = 768;
/** The largest content of a datagram of UDP. */
export const MOST_DATAGRAM_BYTES = 65_507;

export class DatagramSocket implements Receiving {
  readonly #waiting = new Waiting();
  readonly #queue: Datagram[] = [];
  #held = 0;
  #peer: Peer | null = null;
  #error: SocketErrorCode | null = null;
  #isClosed = false;

  /** `address` as for listeners. Throws `SocketError` if it is not free. */
  constructor(
    readonly namespace: NetworkNamespace,
    readonly address: string,
    readonly port: number,
  ) {
    namespace.datagrams.add(this);
  }

  get peer(): Peer | null {
    return this.#peer;
  }

  get isConnected(): boolean {
    return this.#peer !== null;
  }

  /** Takes datagrams only from this peer from now on, and learns of errors on the way there. */
  connect(peer: Peer): void {
    this.#peer = peer;
    const kept = this.#queue.splice(0).filter(({ from }) => this.accepts(from));
    this.#queue.push(...kept);
    this.#held = kept.reduce((sum, { bytes }) => sum + weightOf(bytes), 0);
  }

  accepts({ address, port }: Peer): boolean {
    return this.#peer === null || (this.#peer.address === address && this.#peer.port === port);
  }

  /** A datagram has arrived. It is lost if too many are unread. */
  offer(datagram: Datagram): void {
    if (this.#held + weightOf(datagram.bytes) > BUFFER_BYTES) return;
    this.#queue.push(datagram);
    this.#held += weightOf(datagram.bytes);
    this.#waiting.stir();
  }

  /** A datagram that was sent to the peer has not arrived. Only sockets that have one are told. */
  fail(error: SocketErrorCode): void {
    if (this.#peer === null) return;
    this.#error = error;
    this.#waiting.stir();
  }

  /** The next datagram or error; undefined if there is none yet. */
  take(): Datagram | SocketErrorCode | undefined {
    const error = this.#error;
    this.#error = null;
    if (error !== null) return error;
    const datagram = this.#queue.shift();
    if (datagram) this.#held -= weightOf(datagram.bytes);
    return datagram;
  }

  /** The next datagram, which stays. */
  peek(): Datagram | undefined {
    return this.#queue[0];
  }

  /** Calls back once there may be a datagram or an error. Returns a function that cancels this. */
  wake(more: () => void): () => void {
    return this.#waiting.add(more);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What is unread is lost. Who waits is woken, since nothing comes any more. */
  close(): void {
    this.#isClosed = true;
    this.namespace.datagrams.remove(this);
    this.#queue.length = this.#held = 0;
    this.#waiting.stir();
  }
}

/** What a datagram takes of a buffer of `BUFFER_BYTES`. */
function weightOf(bytes: Uint8Array): number {
  return bytes.length + KEPT_BYTES;
}

/** Sends bytes to the peer, as one datagram. */
export type Send = (bytes: Uint8Array) => void;

/**
 * A socket with a peer, for programs that read and write: each piece is a datagram. It ends with an error, for want of
 * another end, and when it is closed. `put` throws `SocketError` if the bytes are too many for one.
 */
export function endOfDatagrams(socket: DatagramSocket, local: Peer, remote: Peer, send: Send): ConnectionEnd {
  const unread: Uint8Array[] = [];
  let holders = 2;
  let isClosed = false;
  let isOver = false;
  const retain = (): void => void holders++;
  const release = (): void => {
    if (--holders === 0) socket.close();
  };
  const wake = (call: () => void): (() => void) => socket.wake(call);
  const take = (): Uint8Array | null | undefined => {
    if (unread.length > 0) return unread.shift();
    if (isOver || socket.isClosed) return null;
    const taken = socket.take();
    isOver = typeof taken === "string";
    if (isOver) socket.close();
    return typeof taken === "object" ? taken.bytes : isOver ? null : undefined;
  };
  const put = (bytes: Uint8Array): number => {
    if (bytes.length > MOST_DATAGRAM_BYTES) throw new SocketError("EMSGSIZE");
    send(bytes);
    return bytes.length;
  };
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    release();
    release();
  };
  const source: Source = {
    tty: false,
    isPipe: true,
    take,
    unread: (bytes) => void (bytes.length > 0 && unread.unshift(bytes)),
    wake,
    retain,
    release,
  };
  const sink: Sink = { tty: false, keepsBounds: true, put, wake, retain, release };
  return { source, sink, local, remote, close };
}
