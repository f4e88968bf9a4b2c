// A network namespace: the interfaces of a container or of the machine, and who listens there.

import type { networks } from "../../shared/index.js";
import { isLoopback } from "./addresses.js";
import { Bindings, type Bound } from "./bindings.js";
import { allAddressesOf } from "./families.js";
import type { ConnectionEnd, Peer } from "./connection.js";

/** Who listens for connections at an address and port. */
export interface Listening extends Bound {
  /** A connection has arrived. False if it is refused. */
  offer(connection: ConnectionEnd): boolean;
}

export interface Datagram {
  bytes: Uint8Array;
  from: Peer;
  /** The receiver's address to which it was sent. */
  address: string;
}

/** Who takes datagrams at an address and port. */
export interface Receiving extends Bound {
  /** Whether it takes them from this peer. */
  accepts(peer: Peer): boolean;
  /** One has arrived. It is lost if there is no room for it. */
  offer(datagram: Datagram): void;
}

/** What an interface has carried one way. */
export interface Count {
  bytes: number;
  packets: number;
}

export interface Counts {
  received: Count;
  sent: Count;
}

export class NetworkNamespace {
  /** Its endpoints, by network, in the order of joining. */
  readonly joins = new Map<string, networks.Join>();
  /** How names are resolved at 127.0.0.11; null: nothing answers there. */
  resolver: networks.Resolver | null = null;
  /** Sockets of TCP that listen. */
  readonly listeners = new Bindings<Listening>((address) => this.has(address));
  /** Sockets of UDP. */
  readonly datagrams = new Bindings<Receiving>((address) => this.has(address));
  /** By network. */
  readonly #counts = new Map<string, Counts>();

  /** `container`: who it was made for; empty for the machine. */
  constructor(readonly container: string) {}

  get isMachine(): boolean {
    return this.container === "";
  }

  /** Names of its interfaces, without `lo`. */
  get interfaces(): string[] {
    return this.isMachine ? ["eth0"] : [...this.joins.values()].map(({ interfaceName }) => interfaceName);
  }

  has(address: string): boolean {
    return isLoopback(address) || [...this.joins.values()].some((join) => allAddressesOf(join).includes(address));
  }

  /** Counts a packet on the interface to a network. */
  count(network: string, way: keyof Counts, bytes: number): void {
    const counts = this.#counts.get(network) ?? noCounts();
    counts[way].bytes += bytes;
    counts[way].packets++;
    this.#counts.set(network, counts);
  }

  /** What its interfaces have carried since they were made. */
  counted(): (Counts & { name: string })[] {
    if (this.isMachine) return this.interfaces.map((name) => ({ name, ...noCounts() }));
    return [...this.joins].map(([network, { interfaceName: name }]) => ({
      ...{ name, ...(this.#counts.get(network) ?? noCounts()) },
    }));
  }

  join(join: networks.Join): void {
    this.joins.set(join.bridge.network, join);
  }

  /** The interface goes, and its counts. */
  leave(network: string): void {
    this.joins.delete(network);
    this.#counts.delete(network);
  }

  /** All interfaces go, and the resolver. */
  clear(): void {
    this.joins.clear();
    this.#counts.clear();
    this.resolver = null;
  }
}

function noCounts(): Counts {
  return { received: { bytes: 0, packets: 0 }, sent: { bytes: 0, packets: 0 } };
}
