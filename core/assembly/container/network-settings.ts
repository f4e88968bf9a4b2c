// `NetworkSettings` of a container (surface §6.5, §3).

import { Json } from "../json/json";
import { Members } from "../json/members";
import { JsonWriter } from "../json/writer";
import { Endpoint, PublishedPort } from "../network/endpoint";
import { engine } from "../state";
import { Container } from "./container";

/** From this version on addresses stand with the networks only. */
const WITHOUT_TOP_LEVEL = 52;

export function writeNetworkSettings(json: JsonWriter, container: Container, version: i32): void {
  const endpoint = container.endpoint;
  json.beginObject();
  if (version < WITHOUT_TOP_LEVEL) json.stringField("Bridge", "");
  json.stringField("SandboxID", endpoint === null ? "" : endpoint.sandboxId);
  json.stringField("SandboxKey", sandboxKey(container));
  json.key("Ports");
  writePorts(json, container);
  if (version < WITHOUT_TOP_LEVEL) writeTopLevel(json, endpoint);
  json.key("Networks");
  writeNetworks(json, container, version);
  json.endObject();
}

/** The network's name, as clients see it. */
export function networkNameOf(container: Container): string {
  return container.networkMode == "default" ? "bridge" : container.networkMode;
}

/** `Networks`, with empty addresses unless the container runs. */
export function writeNetworks(json: JsonWriter, container: Container, version: i32): void {
  const endpoint = container.endpoint;
  json.beginObject();
  json.key(networkNameOf(container));
  json.beginObject();
  json.nullField("IPAMConfig");
  json.nullField("Links");
  json.nullField("Aliases");
  if (version >= 44) json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
  json.nullField("DriverOpts");
  if (version >= 48) json.i64Field("GwPriority", 0);
  json.stringField("NetworkID", networkId(container));
  json.stringField("EndpointID", endpoint === null ? "" : endpoint.endpointId);
  json.stringField("Gateway", endpoint === null ? "" : endpoint.gateway);
  json.stringField("IPAddress", endpoint === null ? "" : endpoint.address);
  if (version < 44) json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
  json.i64Field("IPPrefixLen", endpoint === null ? 0 : endpoint.prefixLength);
  json.stringField("IPv6Gateway", "");
  json.stringField("GlobalIPv6Address", "");
  json.i64Field("GlobalIPv6PrefixLen", 0);
  if (version >= 44) json.nullField("DNSNames");
  json.endObject();
  json.endObject();
}

function networkId(container: Container): string {
  if (!container.everRan) return "";
  const network = engine.networks.named(networkNameOf(container));
  return network === null ? "" : network.id;
}

function sandboxKey(container: Container): string {
  if (container.endpoint === null) return "";
  return `${engine.options.execRoot}/networks/ns/${container.id}`;
}

function writeTopLevel(json: JsonWriter, endpoint: Endpoint | null): void {
  json.boolField("HairpinMode", false);
  json.stringField("LinkLocalIPv6Address", "");
  json.i64Field("LinkLocalIPv6PrefixLen", 0);
  json.nullField("SecondaryIPAddresses");
  json.nullField("SecondaryIPv6Addresses");
  json.stringField("EndpointID", endpoint === null ? "" : endpoint.endpointId);
  json.stringField("Gateway", endpoint === null ? "" : endpoint.gateway);
  json.stringField("GlobalIPv6Address", "");
  json.i64Field("GlobalIPv6PrefixLen", 0);
  json.stringField("IPAddress", endpoint === null ? "" : endpoint.address);
  json.i64Field("IPPrefixLen", endpoint === null ? 0 : endpoint.prefixLength);
  json.stringField("IPv6Gateway", "");
  json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
}

/** `{}` unless running; then what is exposed, with where it is published or null. */
function writePorts(json: JsonWriter, container: Container): void {
  json.beginObject();
  if (container.running) {
    const endpoint = container.endpoint;
    const ports: PublishedPort[] = endpoint === null ? [] : endpoint.ports;
    const keys = exposedKeys(container, ports);
    for (let i = 0; i < keys.length; i++) writePort(json, keys[i], ports);
  }
  json.endObject();
}

export function exposedKeys(container: Container, ports: PublishedPort[]): string[] {
  const keys: string[] = [];
  const exposed: Json | null = new Members(container.config).tree("ExposedPorts");
  if (exposed !== null) for (let i = 0; i < exposed.keys.length; i++) keys.push(exposed.keys[i]);
  for (let i = 0; i < ports.length; i++) if (!keys.includes(ports[i].key)) keys.push(ports[i].key);
  return keys;
}

function writePort(json: JsonWriter, key: string, ports: PublishedPort[]): void {
  json.key(key);
  let published = false;
  for (let i = 0; i < ports.length; i++) {
    if (ports[i].key != key) continue;
    if (!published) json.beginArray();
    published = true;
    json.beginObject();
    json.stringField("HostIp", ports[i].hostAddress.length > 0 ? ports[i].hostAddress : "0.0.0.0");
    json.stringField("HostPort", ports[i].hostPort.toString());
    json.endObject();
  }
  if (published) json.endArray();
  else json.null();
}
