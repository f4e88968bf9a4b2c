// A container's place on a network: what it was given there.

import { Fields, listOf } from "../records/fields";
import { EVERY_IPV4 } from "./ip";

/** A port of the container and where it is to be had on the machine. */
export class PublishedPort {
  /** The ports of the machine that would do, both 0 for any; the one that it has if no other would. */
  firstPort: u16 = 0;
  lastPort: u16 = 0;

  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    /** Where on the machine: an address of either family, `0.0.0.0` or `::` for all of one. */
    readonly address: string,
    public hostPort: u16,
  ) {
    this.firstPort = hostPort;
    this.lastPort = hostPort;
  }

  /** Another port would do as well. */
  get hasChoice(): bool {
    return this.firstPort == 0 || this.firstPort < this.lastPort;
  }

  /** Whether the two are one wish on two addresses, which have one port. */
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
  /** What is published while the container runs. */
  ports: PublishedPort[] = [];
}

/** In its container's record. */
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
  listOf<PublishedPort>(fields, "ports", endpoint.ports, portFields);
  return endpoint;
}

function portFields(fields: Fields, given: PublishedPort | null): PublishedPort {
  const port: PublishedPort = given === null ? NO_PORT : given;
  const containerPort = <u16>fields.within("containerPort", port.containerPort, 0, u16.MAX_VALUE);
  const protocol = fields.text("protocol", port.protocol);
  const address = fields.text("hostAddress", port.address);
  const hostPort = <u16>fields.within("hostPort", port.hostPort, 0, u16.MAX_VALUE);
  if (given !== null) return given;
  return new PublishedPort(containerPort, protocol, address.length > 0 ? address : EVERY_IPV4, hostPort);
}

const NO_PORT: PublishedPort = new PublishedPort(0, "", "", 0);
