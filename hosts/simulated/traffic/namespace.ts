// A network namespace: the interfaces of a container or of the machine, and who listens there.

import type { networks } from "../../shared/index.js";
import { isEvery, isIpv6, isLoopback } from "./addresses.js";
import { SocketError } from "./errors.js";
import { addressesOf } from "./families.js";
import type { ConnectionEnd } from "./connection.js";

/** Who listens at an address and port. */
export interface Listening {
  readonly address: string;
  readonly port: number;
  /** A connection has arrived. False if it is refused. */
  offer(connection: ConnectionEnd): boolean;
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
  readonly #listeners = new Set<Listening>();
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
    return isLoopback(address) || [...this.joins.values()].some((join) => addressesOf(join).includes(address));
  }

  get listeners(): Listening[] {
    return [...this.#listeners];
  }

  /** Throws `SocketError` if another one listens there. */
  add(listener: Listening): void {
    const { address, port } = listener;
    if (!isEvery(address) && !this.has(address)) throw new SocketError("EADDRNOTAVAIL");
    const isTaken = (other: Listening): boolean =>
      other.port === port && (serves(listener, other.address) || serves(other, address));
    if (this.listeners.some(isTaken)) throw new SocketError("EADDRINUSE");
    this.#listeners.add(listener);
  }

  remove(listener: Listening): void {
    this.#listeners.delete(listener);
  }

  listenerAt(address: string, port: number): Listening | undefined {
    return this.listeners.find((one) => one.port === port && serves(one, address));
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

/** Whether a listener gets what is sent to an address. One at `::` serves IPv4, too (ipv6(7)). */
function serves({ address: own }: Listening, address: string): boolean {
  return own === "::" || own === address || (own === "0.0.0.0" && !isIpv6(address));
}

function noCounts(): Counts {
  return { received: { bytes: 0, packets: 0 }, sent: { bytes: 0, packets: 0 } };
}
