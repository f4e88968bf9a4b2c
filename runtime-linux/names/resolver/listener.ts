// The sockets in one container's network namespace at which its queries arrive.

import { createSocket, type RemoteInfo, type Socket as DatagramSocket } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import type { PlacedResolver } from "../table-files.js";
import { Burst } from "./burst.js";
import { Connection } from "./connection.js";
import { gathered, sendSoon, sendWaiting } from "./outgoing.js";
import type { Places } from "./places.js";
import type { Responder } from "./responder.js";
import { boundSocket, clientAddress, receiveNoMore } from "./sockets.js";
import type { Turns } from "./turns.js";

export class Listener {
  readonly #datagrams: DatagramSocket;
  readonly #descriptor: number;
  readonly #burst: Burst;
  readonly #streams: Server;
  /** Its descriptor may be another file's by now. */
  #isClosed = false;

  /** Throws the error of bind(2) if the port is taken. */
  constructor(
    private resolver: PlacedResolver,
    private readonly responder: Responder,
    private readonly connections: Places<Connection>,
    private readonly turns: Turns,
  ) {
    const { namespace, port } = resolver;
    this.#descriptor = boundSocket("udp", namespace, port);
    this.#datagrams = createSocket("udp4");
    this.#datagrams.on("error", () => {}); // of an answer that nobody waits for
    this.#datagrams.on("message", (bytes, client) => this.#received(bytes, client));
    this.#burst = new Burst(this.#descriptor);
    this.#datagrams.bind({ fd: this.#descriptor });
    this.#streams = createServer({ pauseOnConnect: true }, (socket) => this.#connected(socket));
    this.#streams.on("error", () => {});
    try {
      this.#streams.listen({ fd: boundSocket("tcp", namespace, port) });
    } catch (error) {
      this.#datagrams.close();
      throw error;
    }
  }

  /** Whether it listens at this place already. */
  isAt({ namespace, port }: PlacedResolver): boolean {
    return this.resolver.namespace === namespace && this.resolver.port === port;
  }

  /** From the next query on. */
  follow(resolver: PlacedResolver): void {
    this.resolver = resolver;
  }

  close(): void {
    this.#isClosed = true;
    sendWaiting();
    this.#datagrams.close();
    this.#streams.close();
    this.connections.endAll(this.resolver.container);
    this.responder.forget(this.resolver);
  }

  /** Leaves new queries to another process that listens at the same place. Those that have arrived are answered. */
  handOver(): void {
    receiveNoMore(this.#descriptor);
    this.#streams.close();
  }

  /** The first one, and those that have come meanwhile. */
  #received(bytes: Buffer, client: RemoteInfo): void {
    gathered(() => {
      this.#answer(bytes, clientAddress(client.address, client.port));
      if (!this.#isClosed) this.#burst.take(this.#taken);
    });
  }

  readonly #taken = (bytes: Buffer, length: number, client: Buffer): void => {
    const known = this.responder.known(this.resolver, bytes, length);
    if (known !== undefined) sendSoon(this.#descriptor, known, bytes.readUInt16BE(0), client);
    else this.#answer(Buffer.from(bytes.subarray(0, length)), Buffer.from(client));
  };

  #answer(bytes: Buffer, client: Uint8Array): void {
    this.responder.respond(this.resolver, bytes, "udp", (answer) => {
      if (!this.#isClosed) sendSoon(this.#descriptor, answer, answer.readUInt16BE(0), client);
    });
  }

  #connected(accepted: Socket): void {
    const { container } = this.resolver;
    const asked = {
      turn: (act: () => void) => this.turns.take(container, act),
      respond: (query: Buffer, reply: (answer: Buffer) => void) =>
        this.responder.respond(this.resolver, query, "tcp", reply),
    };
    const connection = new Connection(accepted, asked, () => this.connections.leave(container, connection));
    this.connections.enter(container, connection);
  }
}
