// `NetworkSettings` of a container (surface §6.5, §3).

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { JsonWriter } from "../../json/writer";
import { Endpoint, PublishedPort } from "../../network/endpoint";
import { portKeysOf } from "../../network/port-wishes";
import { networkStore } from "../../network/store";
import { engine } from "../../state";
import { Container } from "../container";
import { settingsOf, writeSetting } from "../endpoint/endpoint-settings";
import { otherIn } from "../spec/namespaces";

/** From this version on, addresses are shown only in `Networks`. */
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

/** `Networks`, with empty addresses unless the container is running. */
export function writeNetworks(json: JsonWriter, container: Container, version: i32): void {
  const endpoint = container.endpoint;
  json.beginObject();
  // A container on another container's network has no endpoint of its own.
  if (otherIn(container.networkMode).length > 0) {
    json.endObject();
    return;
  }
  json.key(container.networkName);
  json.beginObject();
  const settings = settingsOf(container);
  writeSetting(json, settings, "IPAMConfig");
  writeSetting(json, settings, "Links");
  writeSetting(json, settings, "Aliases");
  if (version >= 44) json.stringField("MacAddress", endpoint === null ? "" : endpoint.mac);
  writeSetting(json, settings, "DriverOpts");
  if (version >= 48) json.i64Field("GwPriority", settings.i64Of("GwPriority"));
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
  if (!container.everRan || container.networkDisabled) return "";
  const network = networkStore.named(container.networkName);
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
