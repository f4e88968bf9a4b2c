// Datagrams on their way from socket to socket. Whatever gets lost stays lost.

import type { Clock } from "../../shared/index.js";
import { canonical } from "./addresses.js";
import type { ConnectionEnd, Peer } from "./connection.js";
import { DatagramSocket, endOfDatagrams } from "./datagram-socket.js";
import { SocketError, type SocketErrorCode } from "./errors.js";
import type { Datagram, NetworkNamespace } from "./namespace.js";
import { EPHEMERAL_PORTS, EphemeralPorts } from "./ephemeral-ports.js";
import { routeTo, type NoRoute, type Route, type Topology } from "./routes.js";
import { Tracks, type Track } from "./tracks.js";
import { homeward, isThere, type Way } from "./ways.js";
import type { Wire } from "./wire.js";

/** The kernel asks three times, once a second, who has an address on the bridge (arp(7)). */
export const NEIGHBOUR_NS = 3_000_000_000n;
/** The header of UDP, and what an ICMP message quotes. */
const UDP_BYTES = 8;
const REFUSAL_BYTES = 56;
/** Of both families (ipv6(7)). */
const EVERY_ADDRESS = "::";

export interface DatagramNeeds {
  clock: Clock;
  wire: Wire;
  topology: Topology;
}

/** Where a datagram goes, and as what it arrives. */
interface Flight {
  way: Way;
  to: NetworkNamespace;
  at: Peer;
  seen: Peer;
}

export class Datagrams {
  readonly #needs: DatagramNeeds;
  readonly #tracks: Tracks;
  /** When the last datagram of a socket arrives: none overtakes another. */
  readonly #arrivals = new WeakMap<DatagramSocket, bigint>();
  readonly #ports = new EphemeralPorts();

  constructor(needs: DatagramNeeds) {
    this.#needs = needs;
    this.#tracks = new Tracks(() => needs.clock.now().monotonic);
  }

  /** A socket at a port; 0 for one that is free. Throws `SocketError`. */
  bind(namespace: NetworkNamespace, port = 0, address = EVERY_ADDRESS): DatagramSocket {
    return new DatagramSocket(namespace, canonical(address) ?? address, port === 0 ? this.#freeIn(namespace) : port);
  }

  /** connect(2): the socket is the end's from now on. Throws `SocketError` if there is no way. */
  connect(socket: DatagramSocket, peer: Peer): ConnectionEnd {
    const route = this.#route(socket.namespace, peer.address, peer.port);
    if (typeof route === "object" && "error" in route) throw new SocketError(route.error);
    socket.connect(peer);
    const local = { address: typeof route === "object" ? route.own : EVERY_ADDRESS, port: socket.port };
    return endOfDatagrams(socket, local, peer, (bytes) => {
      const error = this.send(socket, peer, bytes);
      if (error !== null) socket.fail(error);
    });
  }

  /** sendto(2). Returns an error if there is no way. */
  send(socket: DatagramSocket, { address, port }: Peer, bytes: Uint8Array): SocketErrorCode | null {
    const to = { address: canonical(address) ?? address, port };
    const answered = this.#tracks.answered(socket, to);
    if (answered && findsBack(answered)) {
      this.#fly(socket, answerTo(answered), bytes);
      return null;
    }
    const route = this.#route(socket.namespace, to.address, port);
    if (typeof route === "object" && !("error" in route))
      this.#fly(socket, this.#flightAlong(socket, to, route), bytes);
    else return this.#failed(socket, route);
    return null;
  }

  #failed(socket: DatagramSocket, route: NoRoute): SocketErrorCode | null {
    if (typeof route === "object") return route.error;
    if (route === "nobody") this.#after(NEIGHBOUR_NS, () => socket.fail("EHOSTUNREACH"));
    return null;
  }

  #flightAlong(socket: DatagramSocket, asked: Peer, route: Route): Flight {
    const { seen } = this.#tracks.follow({ socket, asked, route, freePort: () => this.#ports.next() });
    return { way: route, to: route.to, at: { address: route.address, port: route.port }, seen };
  }

  #fly(socket: DatagramSocket, flight: Flight, bytes: Uint8Array): void {
    const { wire, clock } = this.#needs;
    const ns = wire.carryDatagram(flight.way, bytes.length + UDP_BYTES);
    if (ns === null) return;
    const now = clock.now().monotonic;
    const last = this.#arrivals.get(socket) ?? 0n;
    const at = now + ns > last ? now + ns : last;
    this.#arrivals.set(socket, at);
    const sent = bytes.slice(); // the sender may use its buffer again at once
    clock.at(at, () => this.#arrive(socket, flight, sent));
  }

  #arrive(sender: DatagramSocket, { way, to, at, seen }: Flight, bytes: Uint8Array): void {
    const receivers = to.datagrams.at(at.address, at.port).filter((one) => one.accepts(seen));
    const receiver = receivers.find(({ isConnected }) => isConnected) ?? receivers[0];
    const datagram: Datagram = { bytes, from: seen, address: at.address };
    if (receiver) return receiver.offer(datagram);
    const back = this.#needs.wire.carry(homeward(way), REFUSAL_BYTES);
    if (back !== null) this.#after(back, () => sender.fail("ECONNREFUSED"));
  }

  #after(ns: bigint, act: () => void): void {
    const { clock } = this.#needs;
    clock.at(clock.now().monotonic + ns, act);
  }

  #route(from: NetworkNamespace, address: string, port: number): Route | NoRoute {
    return routeTo(this.#needs.topology, from, canonical(address) ?? address, { protocol: "udp", port });
  }

  #freeIn(namespace: NetworkNamespace): number {
    let port = this.#ports.next();
    for (let tries = 1; tries < EPHEMERAL_PORTS && !namespace.datagrams.isFree(port); tries++)
      port = this.#ports.next();
    return port;
  }
}

/** Whether an answer still gets to who asked: the way is there, and the asker still has its address. */
function findsBack({ route, origin }: Track): boolean {
  return isThere(route) && (origin.namespace.isMachine || origin.namespace.has(route.own));
}

/** An answer goes back the same way, and comes from the address that was asked. */
function answerTo({ route, origin, asked }: Track): Flight {
  return { way: homeward(route), to: origin.namespace, at: { address: route.own, port: origin.port }, seen: asked };
}
