// A container's place on a network: what it was given there.

import { Json } from "../json/json";
import { JsonWriter } from "../json/writer";

/** What a port is published on when nobody says where. */
export const ALL_ADDRESSES: string = "0.0.0.0";

/** A port of the container and where it is to be had on the machine. */
export class PublishedPort {
  constructor(
    readonly containerPort: u16,
    readonly protocol: string,
    /** As asked for: empty for all addresses. */
    readonly hostAddress: string,
    /** 0 until one is chosen. */
    public hostPort: u16,
    /** The engine chose the port. */
    readonly random: bool,
  ) {}

  /** Where it is published. */
  get address(): string {
    return this.hostAddress.length > 0 ? this.hostAddress : ALL_ADDRESSES;
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
    json.stringField("hostAddress", port.hostAddress);
    json.i64Field("hostPort", port.hostPort);
    json.boolField("random", port.random);
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
    endpoint.ports.push(
      new PublishedPort(
        <u16>port.i64Of("containerPort"),
        port.stringOf("protocol"),
        port.stringOf("hostAddress"),
        <u16>port.i64Of("hostPort"),
        port.boolOf("random"),
      ),
    );
  }
  return endpoint;
}
