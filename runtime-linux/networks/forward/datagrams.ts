// Forwards datagrams from a port of the machine to a container, where no firewall rules do so (see `streams.ts`).
// Each client gets a socket of its own, so that answers find their way back.

import { createSocket, type RemoteInfo, type Socket, type SocketType } from "node:dgram";
import { once } from "node:events";
import { isIpv6 } from "../addresses.js";
import type { Forwarder, Place, Room } from "./forwarder.js";
import { boundAt, share } from "./listening.js";

/** A client is forgotten after this long without traffic in either direction. */
const IDLE_MS = 90_000;

/** If a socket's send queue is longer than this, its receiver is too slow, and datagrams may be dropped. */
const QUEUE_BYTES = 1 << 20;

/**
 * Receives only at the address `from`, not on the other family. `fd`: a socket that is bound there, and from now on this
 * forwarder's; without one it rejects with the error of `boundAt`.
 */
export async function forwardDatagrams(
  from: Place,
  to: Place,
  room: Room,
  fd = boundAt("udp", from, false),
): Promise<Forwarder> {
  const socket = createSocket(typeFor(from));
  try {
    const listening = once(socket, "listening");
    socket.bind({ fd });
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.unref();
  socket.on("error", () => {});
  const clients = new Clients(socket, to, room);
  socket.on("message", (bytes, client) => clients.forward(bytes, client));
  let isClosed = false;
  const close = (): void => {
    // It was handed over before.
    if (isClosed) return;
    isClosed = true;
    socket.close();
    clients.close();
  };
  // An answer that is under way is lost, as any datagram may be: its socket would take datagrams from the next process.
  return { fd, close, share: (isShared) => share(fd, isShared), handOver: close };
}

/** The socket for one client's datagrams. */
interface Flow {
  socket: Socket;
  idle: NodeJS.Timeout;
}

class Clients {
  /** By address and port. The one that has been idle longest comes first. */
  readonly #flows = new Map<string, Flow>();

  constructor(
    private readonly socket: Socket,
    private readonly to: Place,
    private readonly room: Room,
  ) {}

  forward(bytes: Uint8Array, client: RemoteInfo): void {
    const key = `${client.address} ${client.port}`;
    const flow = this.#flows.get(key) ?? this.#open(key, client);
    if (flow === undefined) return;
    this.#flows.delete(key);
    this.#flows.set(key, flow);
    flow.idle.refresh();
    send(flow.socket, bytes, this.to);
  }

  close(): void {
    for (const key of [...this.#flows.keys()]) this.#forget(key);
  }

  /** If there is no room for one more client, the one that has been idle longest is forgotten. */
  #open(key: string, client: RemoteInfo): Flow | undefined {
    const [oldest] = this.#flows.keys();
    if (!this.room.enter()) {
      if (oldest === undefined) return undefined;
      this.#forget(oldest);
      this.room.enter();
    }
    const socket = createSocket(typeFor(this.to));
    const idle = setTimeout(() => this.#forget(key), IDLE_MS).unref();
    const flow = { socket, idle };
    socket.unref();
    socket.on("error", () => this.#forget(key));
    socket.on("message", (bytes, sender) => {
      if (sender.address !== this.to.address || sender.port !== this.to.port) return;
      idle.refresh();
      send(this.socket, bytes, client);
    });
    this.#flows.set(key, flow);
    return flow;
  }

  #forget(key: string): void {
    const flow = this.#flows.get(key);
    if (flow === undefined) return;
    this.#flows.delete(key);
    clearTimeout(flow.idle);
    flow.socket.close();
    this.room.leave();
  }
}

function typeFor({ address }: Place): SocketType {
  return isIpv6(address) ? "udp6" : "udp4";
}

/** A datagram that cannot be sent is dropped, as any datagram may be. */
function send(socket: Socket, bytes: Uint8Array, { address, port }: Place): void {
  if (socket.getSendQueueSize() < QUEUE_BYTES) socket.send(bytes, port, address, () => {});
}
