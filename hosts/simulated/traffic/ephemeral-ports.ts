// Ports of sockets that asked for none, one after the other.

/** net.ipv4.ip_local_port_range (ip(7)). */
const FIRST_PORT = 32_768;
export const EPHEMERAL_PORTS = 28_232;

export class EphemeralPorts {
  #last = 0;

  next(): number {
    this.#last = (this.#last + 1) % EPHEMERAL_PORTS;
    return FIRST_PORT + this.#last;
  }
}
