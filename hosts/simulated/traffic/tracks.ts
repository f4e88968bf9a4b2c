// What the kernel remembers of datagrams, so that answers find their way back through firewalls and translated addresses
// (nf_conntrack).

import type { Peer } from "./connection.js";
import type { DatagramSocket } from "./datagram-socket.js";
import type { NetworkNamespace } from "./namespace.js";
import type { Route } from "./routes.js";

/** nf_conntrack_udp_timeout, and nf_conntrack_udp_timeout_stream once there was an answer. */
const UNANSWERED_NS = 30_000_000_000n;
const ANSWERED_NS = 120_000_000_000n;
/** More are not remembered for one namespace: the oldest are forgotten. */
const MOST_TRACKS = 4096;

export interface Track {
  route: Route;
  /** Who sent the first datagram. */
  origin: { namespace: NetworkNamespace; port: number };
  /** Where it was sent to. */
  asked: Peer;
  /** Where it arrived. */
  at: Peer;
  /** As whom the receiver sees the sender. */
  seen: Peer;
  until: bigint;
}

/** A datagram that is sent along a route. */
export interface Following {
  socket: DatagramSocket;
  asked: Peer;
  route: Route;
  /** Another port for a sender whose own is taken by another one in the receiver's eyes. */
  freePort(): number;
}

/** By the receiver's port and the sender as the receiver sees it. */
type Answers = Map<string, Track>;

export class Tracks {
  readonly #now: () => bigint;
  readonly #answers = new WeakMap<NetworkNamespace, Answers>();

  constructor(now: () => bigint) {
    this.#now = now;
  }

  /** What a socket answers when it sends to a peer; undefined if it begins. */
  answered({ namespace, port }: DatagramSocket, to: Peer): Track | undefined {
    const track = this.#find(namespace, keyOf(port, to));
    if (track) track.until = this.#now() + ANSWERED_NS;
    return track;
  }

  /** Remembers a datagram that begins or goes on. */
  follow({ socket, asked, route, freePort }: Following): Track {
    const origin = { namespace: socket.namespace, port: socket.port };
    const isIt = (track: Track): boolean =>
      track.origin.namespace === origin.namespace && track.origin.port === origin.port && isSame(track.asked, asked);
    const known = this.#answersOf(route.to);
    const mine = [...known.values()].find((one) => isIt(one) && isSame(one.at, route) && one.until > this.#now());
    let port = mine?.seen.port ?? socket.port;
    while (this.#isTaken(route, port, isIt)) port = freePort();
    const seen: Peer = { address: route.from, port };
    const at: Peer = { address: route.address, port: route.port };
    return this.#renew(known, keyOf(route.port, seen), { route, origin, asked, at, seen, until: mine?.until ?? 0n });
  }

  #isTaken({ to, from: address, port: own }: Route, port: number, isIt: (track: Track) => boolean): boolean {
    const other = this.#find(to, keyOf(own, { address, port }));
    return other !== undefined && !isIt(other);
  }

  #renew(known: Answers, key: string, track: Track): Track {
    const until = this.#now() + UNANSWERED_NS;
    const kept = { ...track, until: until > track.until ? until : track.until };
    known.delete(key);
    known.set(key, kept);
    if (known.size > MOST_TRACKS) known.delete(known.keys().next().value!);
    return kept;
  }

  #find(namespace: NetworkNamespace, key: string): Track | undefined {
    const track = this.#answers.get(namespace)?.get(key);
    return track && track.until > this.#now() ? track : undefined;
  }

  #answersOf(namespace: NetworkNamespace): Answers {
    const known = this.#answers.get(namespace) ?? new Map<string, Track>();
    this.#answers.set(namespace, known);
    return known;
  }
}

function keyOf(port: number, { address, port: from }: Peer): string {
  return `${port} ${address} ${from}`;
}

function isSame(one: Peer, other: Peer): boolean {
  return one.address === other.address && one.port === other.port;
}
