// Who listens at which address and port of a network namespace, for one protocol.

import { isEvery, isIpv6 } from "./addresses.js";
import { SocketError } from "./errors.js";

/** A socket that is bound. */
export interface Bound {
  readonly address: string;
  readonly port: number;
  /** It gets only what comes from its peer, and others may be bound beside it. */
  readonly isConnected?: boolean;
}

export class Bindings<Socket extends Bound> {
  readonly #sockets = new Set<Socket>();
  readonly #has: (address: string) => boolean;

  /** `has`: whether an address is one of the namespace's. */
  constructor(has: (address: string) => boolean) {
    this.#has = has;
  }

  get all(): Socket[] {
    return [...this.#sockets];
  }

  /** Throws `SocketError` if another one is bound there. */
  add(socket: Socket): void {
    const { address, port } = socket;
    if (!isEvery(address) && !this.#has(address)) throw new SocketError("EADDRNOTAVAIL");
    const isTaken = (other: Socket): boolean =>
      other.port === port && !other.isConnected && (serves(socket, other.address) || serves(other, address));
    if (this.all.some(isTaken)) throw new SocketError("EADDRINUSE");
    this.#sockets.add(socket);
  }

  remove(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  /** Whether no socket has this port. */
  isFree(port: number): boolean {
    return this.all.every((one) => one.port !== port);
  }

  /** Those that get what is sent to an address and port. */
  at(address: string, port: number): Socket[] {
    return this.all.filter((one) => one.port === port && serves(one, address));
  }
}

/** Whether a socket gets what is sent to an address. One at `::` serves IPv4, too (ipv6(7)). */
function serves({ address: own }: Bound, address: string): boolean {
  return own === "::" || own === address || (own === "0.0.0.0" && !isIpv6(address));
}
