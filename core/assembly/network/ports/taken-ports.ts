// The machine's ports that containers hold, and the choice of a free one when the client leaves it to the engine.

import { everyAddressLike } from "../address/wildcard";

/** The range of ports that the engine chooses from (surface §6.6). */
const FIRST_RANDOM_PORT: u32 = 32768;
const LAST_RANDOM_PORT: u32 = 60999;

export class TakenPorts {
  /** `PROTOCOL ADDRESS PORT` → container. */
  private readonly ports: Map<string, string> = new Map<string, string>();
  /** `PROTOCOL FAMILY PORT` → number of addresses of the family on which it is taken. */
  private readonly uses: Map<string, i32> = new Map<string, i32>();
  private nextRandomPort: u32 = FIRST_RANDOM_PORT;

  /** Takes a port; false if it is not free. The wildcard address of a family conflicts with each of its addresses. */
  takePort(protocol: string, address: string, port: u16, container: string): bool {
    if (this.portTaken(protocol, address, port)) return false;
    this.ports.set(portKey(protocol, address, port), container);
    this.use(protocol, address, port, 1);
    return true;
  }

  /** Takes a port on all of the addresses, or on none. */
  takePorts(protocol: string, addresses: string[], port: u16, container: string): bool {
    for (let i = 0; i < addresses.length; i++) {
      if (this.takePort(protocol, addresses[i], port, container)) continue;
      for (let j = 0; j < i; j++) this.freePort(protocol, addresses[j], port, container);
      return false;
    }
    return true;
  }

  /** The first of the addresses on which the port is taken; empty if there is none. */
  takenOf(protocol: string, addresses: string[], port: u16): string {
    for (let i = 0; i < addresses.length; i++) if (this.portTaken(protocol, addresses[i], port)) return addresses[i];
    return "";
  }

  /** Only the port's owner can free it. */
  freePort(protocol: string, address: string, port: u16, container: string): void {
    const key = portKey(protocol, address, port);
    if (!this.ports.has(key) || this.ports.get(key) != container) return;
    this.ports.delete(key);
    this.use(protocol, address, port, -1);
  }

  /**
   * Takes a port of the engine's choice on all of the addresses; they begin at 32768 (surface §6.6). 0 if none is left.
   */
  takeRandomPort(protocol: string, addresses: string[], container: string): u16 {
    const count = LAST_RANDOM_PORT - FIRST_RANDOM_PORT + 1;
    for (let i: u32 = 0; i < count; i++) {
      const port = <u16>this.nextRandomPort;
      this.nextRandomPort = this.nextRandomPort == LAST_RANDOM_PORT ? FIRST_RANDOM_PORT : this.nextRandomPort + 1;
      if (this.takePorts(protocol, addresses, port, container)) return port;
    }
    return 0;
  }

  private portTaken(protocol: string, address: string, port: u16): bool {
    if (!this.uses.has(useKey(protocol, address, port))) return false;
    const every = everyAddressLike(address);
    if (address == every) return true;
    return this.ports.has(portKey(protocol, address, port)) || this.ports.has(portKey(protocol, every, port));
  }

  private use(protocol: string, address: string, port: u16, more: i32): void {
    const key = useKey(protocol, address, port);
    const count = (this.uses.has(key) ? this.uses.get(key) : 0) + more;
    if (count > 0) this.uses.set(key, count);
    else this.uses.delete(key);
  }
}

function useKey(protocol: string, address: string, port: u16): string {
  return portKey(protocol, everyAddressLike(address), port);
}

function portKey(protocol: string, address: string, port: u16): string {
  return `${protocol} ${address} ${port.toString()}`;
}

export const takenPorts: TakenPorts = new TakenPorts();
