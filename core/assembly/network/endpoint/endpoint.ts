// A container's endpoint on a network: what the client asked for, and, while the container is running, its place there.

import { Fields, listOf, partOf } from "../../records/fields";
import { PublishedPort, publishedPortFields } from "./published-port";

/** What a container has on a network while it is running. */
export class Place {
  endpointId: string = "";
  /** Name of the interface in the container: `eth0`. */
  interfaceName: string = "";
  /** Where its IPv4 default route leads; empty if the network leads nowhere. */
  gateway: string = "";
  /** Its IPv4 address; empty on a network without IPv4. */
  address: string = "";
  prefixLength: i32 = 0;
  /** The same for IPv6. */
  ipv6Gateway: string = "";
  ipv6Address: string = "";
  ipv6PrefixLength: i32 = 0;
  mac: string = "";

  /** Its addresses, IPv4 first. */
  get addresses(): string[] {
    return [this.address, this.ipv6Address].filter((address: string) => address.length > 0);
  }
}

export class Endpoint {
  /** Hardware address that the client asked for; empty if the engine derives one from its address. */
  mac: string = "";
  /** The client's settings that inspect shows, as Docker's JSON; an empty array if there are none. */
  settings: Uint8Array = new Uint8Array(0);
  /** Id of the network on which the container was last; empty before its first start there. */
  networkId: string = "";
  /** Null unless the container is on the network. Networks without addresses, `host` and `none`, have no places. */
  place: Place | null = null;

  constructor(
    /** The network as the client named it: by its name or its id. */
    readonly network: string,
  ) {}
}

/** What a container's endpoints share while it is on networks. */
export class Sandbox {
  /** Ports that are published. */
  ports: PublishedPort[] = [];

  constructor(readonly id: string) {}
}

/** Reads or writes an endpoint in its container's record. */
export function endpointFields(fields: Fields, given: Endpoint | null): Endpoint {
  const network = fields.text("network", given === null ? "" : given.network);
  const endpoint: Endpoint = given === null ? new Endpoint(network) : given;
  endpoint.mac = fields.optionalText("mac", endpoint.mac);
  endpoint.settings = fields.optionalDocument("settings", endpoint.settings);
  endpoint.networkId = fields.optionalText("networkId", endpoint.networkId);
  endpoint.place = partOf<Place>(fields, "place", endpoint.place, placeFields);
  return endpoint;
}

function placeFields(fields: Fields, given: Place | null): Place {
  const place: Place = given === null ? new Place() : given;
  place.endpointId = fields.text("endpointId", place.endpointId);
  place.interfaceName = fields.text("interfaceName", place.interfaceName);
  place.gateway = fields.text("gateway", place.gateway);
  place.address = fields.text("address", place.address);
  place.prefixLength = <i32>fields.within("prefixLength", place.prefixLength, 0, 32);
  place.ipv6Gateway = fields.optionalText("ipv6Gateway", place.ipv6Gateway);
  place.ipv6Address = fields.optionalText("ipv6Address", place.ipv6Address);
  place.ipv6PrefixLength = <i32>fields.optionalWithin("ipv6PrefixLength", place.ipv6PrefixLength, 0, 0, 128);
  place.mac = fields.text("mac", place.mac);
  return place;
}

/** Reads or writes the sandbox in its container's record. */
export function sandboxFields(fields: Fields, given: Sandbox | null): Sandbox {
  const id = fields.text("id", given === null ? "" : given.id);
  const sandbox: Sandbox = given === null ? new Sandbox(id) : given;
  listOf<PublishedPort>(fields, "ports", sandbox.ports, publishedPortFields);
  return sandbox;
}
