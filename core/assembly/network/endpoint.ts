// A container's endpoint on a network: its addresses and published ports.

import { Fields, listOf } from "../records/fields";
import { EVERY_IPV4 } from "./address/wildcard";

/** A port of the container, and where it is published on the machine. */
export class PublishedPort {
  /** Range of acceptable ports on the machine, both 0 for any. Equal to the port in use if there is no choice. */
  firstPort: u16 = 0;
  lastPort: u16 = 0;

  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    /** Address on the machine, of either family: `0.0.0.0` or `::` for all of that family. */
    readonly address: string,
    public hostPort: u16,
  ) {
    this.firstPort = hostPort;
    this.lastPort = hostPort;
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

export class Endpoint {
  networkId: string = "";
  networkName: string = "";
  endpointId: string = "";
  gateway: string = "";
  address: string = "";
  prefixLength: i32 = 0;
  mac: string = "";
  sandboxId: string = "";
  /** Ports that are published while the container is running. */
  ports: PublishedPort[] = [];
}

/** Reads or writes an endpoint in its container's record. */
export function endpointFields(fields: Fields, given: Endpoint | null): Endpoint {
  const endpoint: Endpoint = given === null ? new Endpoint() : given;
  endpoint.networkId = fields.text("networkId", endpoint.networkId);
  endpoint.networkName = fields.text("networkName", endpoint.networkName);
  endpoint.endpointId = fields.text("endpointId", endpoint.endpointId);
  endpoint.gateway = fields.text("gateway", endpoint.gateway);
  endpoint.address = fields.text("address", endpoint.address);
  endpoint.prefixLength = <i32>fields.within("prefixLength", endpoint.prefixLength, 0, 32);
  endpoint.mac = fields.text("mac", endpoint.mac);
  endpoint.sandboxId = fields.text("sandboxId", endpoint.sandboxId);
  listOf<PublishedPort>(fields, "ports", endpoint.ports, publishedPortFields);
  return endpoint;
}

function publishedPortFields(fields: Fields, given: PublishedPort | null): PublishedPort {
  const port: PublishedPort = given === null ? NO_PORT : given;
  const containerPort = <u16>fields.within("containerPort", port.containerPort, 0, u16.MAX_VALUE);
  const protocol = fields.text("protocol", port.protocol);
  const address = fields.text("hostAddress", port.address);
  const hostPort = <u16>fields.within("hostPort", port.hostPort, 0, u16.MAX_VALUE);
  if (given !== null) return given;
  return new PublishedPort(containerPort, protocol, address.length > 0 ? address : EVERY_IPV4, hostPort);
}

const NO_PORT: PublishedPort = new PublishedPort(0, "", "", 0);
