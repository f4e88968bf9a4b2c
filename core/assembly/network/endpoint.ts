// A container's place on a network: what it was given there.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";
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

export function writeEndpoint(json: JsonWriter, endpoint: Endpoint): void {
  json.beginObject();
  json.stringField("networkId", endpoint.networkId);
  json.stringField("networkName", endpoint.networkName);
  json.stringField("endpointId", endpoint.endpointId);
  json.stringField("gateway", endpoint.gateway);
  json.stringField("address", endpoint.address);
  json.i64Field("prefixLength", endpoint.prefixLength);
  json.stringField("mac", endpoint.mac);
  json.stringField("sandboxId", endpoint.sandboxId);
  json.key("ports");
  json.beginArray();
  for (let i = 0; i < endpoint.ports.length; i++) {
    const port = endpoint.ports[i];
    json.beginObject();
    json.i64Field("containerPort", port.containerPort);
    json.stringField("protocol", port.protocol);
    json.stringField("hostAddress", port.address);
    json.i64Field("hostPort", port.hostPort);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

export function readEndpoint(json: Json): Endpoint {
  const endpoint = new Endpoint();
  endpoint.networkId = json.stringOf("networkId");
  endpoint.networkName = json.stringOf("networkName");
  endpoint.endpointId = json.stringOf("endpointId");
  endpoint.gateway = json.stringOf("gateway");
  endpoint.address = json.stringOf("address");
  endpoint.prefixLength = <i32>json.i64Of("prefixLength");
  endpoint.mac = json.stringOf("mac");
  endpoint.sandboxId = json.stringOf("sandboxId");
  const ports = json.find("ports");
  if (ports === null) return endpoint;
  for (let i = 0; i < ports.items.length; i++) {
    const port = ports.items[i];
    const address = port.stringOf("hostAddress");
    endpoint.ports.push(
      new PublishedPort(
        <u16>port.i64Of("containerPort"),
        port.stringOf("protocol"),
        address.length > 0 ? address : EVERY_IPV4,
        <u16>port.i64Of("hostPort"),
      ),
    );
  }
  return endpoint;
}
