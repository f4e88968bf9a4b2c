// `NetworkSettings` of a container (surface §6.5, §3).

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { JsonWriter } from "../../json/writer";
import { Endpoint, PublishedPort } from "../../network/endpoint";
import { namesOnNetwork } from "../../network/names/names-on-network";
import { Network } from "../../network/network";
import { networkOf } from "../../network/networks-of-container";
import { portKeysOf } from "../../network/ports/port-wishes";
import { engine } from "../../state";
import { Container } from "../container";
import { settingsOf, writeSetting } from "../endpoint/endpoint-settings";
import { otherIn } from "../spec/namespaces";

/** From this version on, addresses are shown only in `Networks`. */
const WITHOUT_TOP_LEVEL = 52;
/** From this version on, `Aliases` has only what the client gave. */
const ALIASES_AS_GIVEN = 45;

export function writeNetworkSettings(json: JsonWriter, container: Container, version: i32): void {
  const endpoint = container.endpoint;
  json.beginObject();
  if (version < WITHOUT_TOP_LEVEL) json.stringField("Bridge", "");
  json.stringField("SandboxID", endpoint === null ? "" : endpoint.sandboxId);
  json.stringField("SandboxKey", sandboxKey(container));
  json.key("Ports");
  writePorts(json, container);
  if (version < WITHOUT_TOP_LEVEL) writeTopLevel(json, container.onDefaultBridge ? endpoint : null);
  json.key("Networks");
  writeNetworks(json, container, version);
  json.endObject();
}

/** `Networks`, with empty addresses unless the container is running. */
export function writeNetworks(json: JsonWriter, container: Container, version: i32): void {
  const endpoint = container.endpoint;
  json.beginObject();
  // A container on another container's network has no endpoint of its own.
  if (otherIn(container.networkMode).length > 0) {
    json.endObject();
    return;
  }
  const network = networkOf(container);
  json.key(network === null ? container.networkName : network.name);
  json.beginObject();
  const settings = settingsOf(container);
  writeSetting(json, settings, "IPAMConfig");
  writeSetting(json, settings, "Links");
  writeAliases(json, container, settings, network, version);
  if (version >= 44) json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
  writeSetting(json, settings, "DriverOpts");
  if (version >= 48) json.i64Field("GwPriority", settings.i64Of("GwPriority"));
  json.stringField("NetworkID", container.everRan && network !== null ? network.id : "");
  json.stringField("EndpointID", endpoint === null ? "" : endpoint.endpointId);
  json.stringField("Gateway", endpoint === null ? "" : endpoint.gateway);
  json.stringField("IPAddress", endpoint === null ? "" : endpoint.address);
  if (version < 44) json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
  json.i64Field("IPPrefixLen", endpoint === null ? 0 : endpoint.prefixLength);
  json.stringField("IPv6Gateway", "");
  json.stringField("GlobalIPv6Address", "");
  json.i64Field("GlobalIPv6PrefixLen", 0);
  if (version >= 44) writeDnsNames(json, container, settings, network);
  json.endObject();
  json.endObject();
}

/** Older clients see the short id as one more alias on user-defined networks (surface §3, 1.45). */
function writeAliases(
  json: JsonWriter,
  container: Container,
  settings: Json,
  network: Network | null,
  version: i32,
): void {
  if (version >= ALIASES_AS_GIVEN || !isNamedOn(container, network)) return writeSetting(json, settings, "Aliases");
  const aliases = settings.stringsOf("Aliases");
  if (!aliases.includes(container.shortId)) aliases.push(container.shortId);
  json.stringArrayField("Aliases", aliases);
}

/** The names by which other containers on the network know this one (surface §2.24). */
function writeDnsNames(json: JsonWriter, container: Container, settings: Json, network: Network | null): void {
  if (!isNamedOn(container, network)) {
    json.nullField("DNSNames");
    return;
  }
  json.stringArrayField("DNSNames", namesOnNetwork(container, settings));
}

/** Containers have names on user-defined networks only, from their first start there. */
function isNamedOn(container: Container, network: Network | null): bool {
  return container.everRan && network !== null && !network.isBuiltIn;
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

/** `{}` unless the container is running; else the exposed ports, each with its bindings or null. */
function writePorts(json: JsonWriter, container: Container): void {
  json.beginObject();
  if (container.running) {
    const endpoint = container.endpoint;
    const ports: PublishedPort[] = endpoint === null ? [] : endpoint.ports;
    const keys = exposedKeys(container, ports);
    const published = portsByKey(ports);
    for (let i = 0; i < keys.length; i++) writePort(json, keys[i], published);
  }
  json.endObject();
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
    json.stringField("HostPort", published[i].hostPort.toString());
    json.endObject();
  }
  json.endArray();
}
