// `NetworkSettings` of a container (surface §6.5, §3).

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { JsonWriter } from "../../json/writer";
import { Endpoint, Place } from "../../network/endpoint/endpoint";
import { networkNameOf, networkOf } from "../../network/endpoint/endpoints-of-container";
import { PublishedPort } from "../../network/endpoint/published-port";
import { addName, hostnameOf, namesOnNetwork } from "../../network/names/names-on-network";
import { Network } from "../../network/network";
import { portKeysOf } from "../../network/ports/port-wishes";
import { engine } from "../../state";
import { Container } from "../container";
import { settingsOf, writeSetting } from "../endpoint/endpoint-settings";

/** From this version on, addresses are shown only in `Networks`. */
const WITHOUT_TOP_LEVEL = 52;
/** From this version on, `Aliases` has only what the client gave. */
const ALIASES_AS_GIVEN = 45;

export function writeNetworkSettings(json: JsonWriter, container: Container, version: i32): void {
  const sandbox = container.sandbox;
  json.beginObject();
  if (version < WITHOUT_TOP_LEVEL) json.stringField("Bridge", "");
  json.stringField("SandboxID", sandbox === null ? "" : sandbox.id);
  json.stringField("SandboxKey", sandboxKey(container));
  json.key("Ports");
  writePorts(json, container);
  if (version < WITHOUT_TOP_LEVEL) writeTopLevel(json, container.bridgeEndpoint);
  json.key("Networks");
  writeNetworks(json, container, version);
  json.endObject();
}

/**
 * `Networks`, with empty addresses unless the container is running. A container on another container's network has none
 * of its own.
 */
export function writeNetworks(json: JsonWriter, container: Container, version: i32): void {
  json.beginObject();
  for (let i = 0; i < container.endpoints.length; i++) writeEndpoint(json, container, container.endpoints[i], version);
  json.endObject();
}

function writeEndpoint(json: JsonWriter, container: Container, endpoint: Endpoint, version: i32): void {
  const settings = settingsOf(endpoint);
  json.key(networkNameOf(endpoint)).beginObject();
  writeWish(json, container, endpoint, settings, version);
  writePlace(json, endpoint, version);
  if (version >= 44) writeDnsNames(json, container, endpoint, settings);
  json.endObject();
}

/** What the client asked for. Newer versions have the hardware address here, older ones among the other addresses. */
function writeWish(json: JsonWriter, container: Container, endpoint: Endpoint, settings: Json, version: i32): void {
  const place = endpoint.place;
  writeSetting(json, settings, "IPAMConfig");
  writeSetting(json, settings, "Links");
  writeAliases(json, container, endpoint, settings, version);
  if (version >= 44) json.stringField("MacAddress", place === null ? "" : place.mac);
  writeSetting(json, settings, "DriverOpts");
  if (version >= 48) json.i64Field("GwPriority", settings.i64Of("GwPriority"));
}

function writePlace(json: JsonWriter, endpoint: Endpoint, version: i32): void {
  const place = endpoint.place;
  json.stringField("NetworkID", endpoint.networkId);
  json.stringField("EndpointID", place === null ? "" : place.endpointId);
  json.stringField("Gateway", place === null ? "" : place.gateway);
  json.stringField("IPAddress", place === null ? "" : place.address);
  if (version < 44) json.stringField("MacAddress", place === null ? "" : place.mac);
  json.i64Field("IPPrefixLen", place === null ? 0 : place.prefixLength);
  json.stringField("IPv6Gateway", place === null ? "" : place.ipv6Gateway);
  json.stringField("GlobalIPv6Address", place === null ? "" : place.ipv6Address);
  json.i64Field("GlobalIPv6PrefixLen", place === null ? 0 : place.ipv6PrefixLength);
}

/** Older clients see the short id and the hostname as further aliases on user-defined networks (surface §3, 1.45). */
function writeAliases(json: JsonWriter, container: Container, endpoint: Endpoint, settings: Json, version: i32): void {
  if (version >= ALIASES_AS_GIVEN || !isNamedOn(endpoint)) return writeSetting(json, settings, "Aliases");
  const aliases = settings.stringsOf("Aliases");
  addName(aliases, container.shortId);
  addName(aliases, hostnameOf(container));
  json.stringArrayField("Aliases", aliases);
}

/** The names by which other containers on the network know this one (surface §2.24). */
function writeDnsNames(json: JsonWriter, container: Container, endpoint: Endpoint, settings: Json): void {
  if (!isNamedOn(endpoint)) {
    json.nullField("DNSNames");
    return;
  }
  json.stringArrayField("DNSNames", namesOnNetwork(container, settings));
}

/** Containers have names on user-defined networks only, from their first start there. */
function isNamedOn(endpoint: Endpoint): bool {
  const network: Network | null = endpoint.networkId.length == 0 ? null : networkOf(endpoint);
  return network !== null && !network.isBuiltIn;
}

function sandboxKey(container: Container): string {
  return container.sandbox === null ? "" : `${engine.options.execRoot}/networks/ns/${container.id}`;
}

function writeTopLevel(json: JsonWriter, endpoint: Endpoint | null): void {
  const place: Place | null = endpoint === null ? null : endpoint.place;
  json.boolField("HairpinMode", false);
  json.stringField("LinkLocalIPv6Address", "");
  json.i64Field("LinkLocalIPv6PrefixLen", 0);
  json.nullField("SecondaryIPAddresses");
  json.nullField("SecondaryIPv6Addresses");
  json.stringField("EndpointID", place === null ? "" : place.endpointId);
  json.stringField("Gateway", place === null ? "" : place.gateway);
  json.stringField("GlobalIPv6Address", place === null ? "" : place.ipv6Address);
  json.i64Field("GlobalIPv6PrefixLen", place === null ? 0 : place.ipv6PrefixLength);
  json.stringField("IPAddress", place === null ? "" : place.address);
  json.i64Field("IPPrefixLen", place === null ? 0 : place.prefixLength);
  json.stringField("IPv6Gateway", place === null ? "" : place.ipv6Gateway);
  json.stringField("MacAddress", place === null ? "" : place.mac);
}

/** `{}` unless the container is running; else the exposed ports, each with its bindings or null. */
function writePorts(json: JsonWriter, container: Container): void {
  json.beginObject();
  if (container.running && !isOnParentsOnly(container)) {
    const ports = container.ports;
    const keys = exposedKeys(container, ports);
    const published = portsByKey(ports);
    for (let i = 0; i < keys.length; i++) writePort(json, keys[i], published);
  }
  json.endObject();
}

/** Only bridges have exposed and published ports. */
function isOnParentsOnly(container: Container): bool {
  let onParents = 0;
  let places = 0;
  for (let i = 0; i < container.endpoints.length; i++) {
    const endpoint = container.endpoints[i];
    const network: Network | null = endpoint.place === null ? null : networkOf(endpoint);
    if (endpoint.place !== null) places += 1;
    if (network !== null && network.isOnParent) onParents += 1;
  }
  return onParents > 0 && onParents == places;
}

/** Keys such as `80/tcp`: the exposed ports, with ranges expanded, and the published ones. */
export function exposedKeys(container: Container, ports: PublishedPort[]): string[] {
  const keys = new Set<string>();
  const exposed: Json | null = new Members(container.config).tree("ExposedPorts");
  if (exposed !== null) {
    for (let i = 0; i < exposed.keys.length; i++) {
      const all = portKeysOf(exposed.keys[i]);
      for (let k = 0; k < all.length; k++) keys.add(all[k]);
    }
  }
  for (let i = 0; i < ports.length; i++) keys.add(ports[i].key);
  return keys.values();
}

function portsByKey(ports: PublishedPort[]): Map<string, PublishedPort[]> {
  const byKey = new Map<string, PublishedPort[]>();
  for (let i = 0; i < ports.length; i++) {
    const key = ports[i].key;
    if (!byKey.has(key)) byKey.set(key, []);
    byKey.get(key).push(ports[i]);
  }
  return byKey;
}

function writePort(json: JsonWriter, key: string, byKey: Map<string, PublishedPort[]>): void {
  if (!byKey.has(key)) {
    json.nullField(key);
    return;
  }
  const published = byKey.get(key);
  json.key(key).beginArray();
  for (let i = 0; i < published.length; i++) {
    json.beginObject();
    json.stringField("HostIp", published[i].address);
    json.stringField("HostPort", published[i].isMapped ? published[i].hostPort.toString() : "");
    json.endObject();
  }
  json.endArray();
}
