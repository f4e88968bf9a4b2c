// A real socket for a published UDP port of the simulated machine, on this machine's loopback.

import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import type { SimulatedHost } from "../simulated/index.js";

/** Errors that say that this machine has no such address: then there is no door. */
export const ABSENT: readonly unknown[] = ["EADDRNOTAVAIL", "EAFNOSUPPORT"];

/** A visitor that neither sent nor got anything for so long is forgotten, as the kernel's tables do. */
const IDLE_MS = 120_000;
/** The one that has been silent for longest is forgotten if there are more. */
const MOST_VISITORS = 1024;
/** How many bytes of a visitor may be on their way into the world; more are lost, as in a socket that is not read. */
const MOST_HELD = 212_992;
/** What each datagram counts besides its bytes: empty ones are held, too. */
const EACH_BYTES = 768;

/** What a door needs of its world. */
type Dialling = Pick<SimulatedHost, "dialDatagrams">;

/** Who sends to a port, and is answered. */
interface Visitor {
  send(bytes: Uint8Array): void;
  leave(): void;
}

export class DatagramDoor {
  readonly #host: Dialling;
  readonly #socket: Socket;
  readonly #at: { address: string; port: number };
  /** The one that was silent for longest comes first. */
  readonly #visitors = new Map<string, Visitor>();

  private constructor(host: Dialling, socket: Socket, at: { address: string; port: number }) {
    this.#host = host;
    this.#socket = socket;
    this.#at = at;
    socket.on("message", (bytes, from) => this.#visited(bytes, from));
    socket.on("error", () => {}); // such as an answer to a visitor that has left
  }

  /** Resolves to what closes it; null if this machine has no such address. Rejects with the error of bind(2). */
  static async open(host: Dialling, at: { address: string; port: number }): Promise<(() => void) | null> {
    const socket = createSocket(at.address.includes(":") ? { type: "udp6", ipv6Only: true } : { type: "udp4" });
    if (!(await isBound(socket, at))) return null;
    const door = new DatagramDoor(host, socket, at);
    return () => door.#close();
  }

  #close(): void {
    for (const visitor of [...this.#visitors.values()]) visitor.leave();
    this.#socket.close();
  }

  #visited(bytes: Uint8Array, from: RemoteInfo): void {
    const name = `${from.port} ${from.address}`;
    const visitor = this.#visitors.get(name) ?? this.#welcome(name, from);
    this.#visitors.delete(name);
    this.#visitors.set(name, visitor);
    visitor.send(bytes);
    if (this.#visitors.size > MOST_VISITORS) this.#visitors.values().next().value!.leave();
  }

  #welcome(name: string, { address, port }: RemoteInfo): Visitor {
    const dialled = this.#host.dialDatagrams(this.#at.port, this.#at.address);
    const leaving = new AbortController();
    const leave = (): void => {
      clearTimeout(idle);
      if (this.#visitors.get(name) === visitor) this.#visitors.delete(name);
      leaving.abort();
      void writer.then((to) => to.close()).catch(() => {});
    };
    const idle = setTimeout(leave, IDLE_MS).unref();
    const writer = dialled.then(({ writable }) => writable.getWriter());
    let held = 0;
    const send = (bytes: Uint8Array): void => {
      idle.refresh();
      const size = bytes.length + EACH_BYTES;
      if (held + size > MOST_HELD) return;
      held += size;
      void writer.then((to) => to.write(bytes)).then(() => (held -= size), leave);
    };
    const visitor: Visitor = { send, leave };
    const answer = (bytes: Uint8Array): void => {
      idle.refresh();
      this.#socket.send(bytes, port, address);
    };
    void this.#listen(dialled, leaving.signal, answer)
      .catch(() => {})
      .finally(leave);
    return visitor;
  }

  /** Until nobody listens in the container, or the visitor is forgotten. */
  async #listen(
    dialled: ReturnType<Dialling["dialDatagrams"]>,
    signal: AbortSignal,
    answer: (bytes: Uint8Array) => void,
  ): Promise<void> {
    const { readable } = await dialled;
    const reader = readable.getReader();
    const leave = (): void => void reader.cancel().catch(() => {});
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) answer(piece.value);
  }
}

/** False if this machine has no such address. */
function isBound(socket: Socket, { address, port }: { address: string; port: number }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    socket.once("error", (error: NodeJS.ErrnoException) => {
      socket.close();
      if (ABSENT.includes(error.code)) resolve(false);
      else reject(error);
    });
    socket.bind({ address, port, exclusive: true }, () => {
      socket.removeAllListeners("error");
      resolve(true);
    });
  });
}
