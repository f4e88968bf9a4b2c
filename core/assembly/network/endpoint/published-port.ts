// A port of a container, and where it is published on the machine.

import { Fields } from "../../records/fields";
import { EVERY_IPV4 } from "../address/wildcard";

export class PublishedPort {
  /** Range of acceptable ports on the machine, both 0 for any. Equal to the port in use if there is no choice. */
  firstPort: u16 = 0;
  lastPort: u16 = 0;

  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    /** Address on the machine, of either family: `0.0.0.0` or `::` for all of that family. */
    readonly address: string,
    /** Port on the machine; 0 if none leads to the container, which is reached at its own address instead. */
    public hostPort: u16,
  ) {
    this.firstPort = hostPort;
    this.lastPort = hostPort;
  }

  /** A port of the machine leads to the container. */
  get isMapped(): bool {
    return this.hostPort > 0;
  }

  /** Another port is acceptable, too. */
  get hasChoice(): bool {
    return this.firstPort == 0 || this.firstPort < this.lastPort;
  }

  /** Whether both belong to one request for two addresses, which share a port. */
  isWith(other: PublishedPort): bool {
    const same = this.hostPort == other.hostPort && this.key == other.key;
    return same && this.firstPort == other.firstPort && this.lastPort == other.lastPort;
  }

  /** `80/tcp`. */
  get key(): string {
    return `${this.containerPort.toString()}/${this.protocol}`;
  }
}

/** Reads or writes a published port in its container's record. */
export function publishedPortFields(fields: Fields, given: PublishedPort | null): PublishedPort {
  const port: PublishedPort = given === null ? NO_PORT : given;
  const containerPort = <u16>fields.within("containerPort", port.containerPort, 0, u16.MAX_VALUE);
  const protocol = fields.text("protocol", port.protocol);
  const address = fields.text("hostAddress", port.address);
  const hostPort = <u16>fields.within("hostPort", port.hostPort, 0, u16.MAX_VALUE);
  if (given !== null) return given;
  return new PublishedPort(containerPort, protocol, address.length > 0 ? address : EVERY_IPV4, hostPort);
}

const NO_PORT: PublishedPort = new PublishedPort(0, "", "", 0);
