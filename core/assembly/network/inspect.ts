// GET /networks and /networks/{id}: the three networks that are always there (surface §2.24, §6.5).

import { Filters, parseFilters } from "../api/filters";
import { Call } from "../call";
import { JsonWriter } from "../json/writer";
import { badParameter, notFound, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { engine } from "../state";
import { formatTime } from "../text/time";
import { Network } from "./network";

/** From this version on the list has no `Containers`. */
const LIST_WITHOUT_CONTAINERS = 28;
const KEYS: string[] = ["driver", "name", "id", "label", "scope", "type", "dangling"];

export function listNetworks(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const all = engine.networks.all();
  const json = new JsonWriter();
  json.beginArray();
  for (let i = 0; i < all.length; i++) {
    if (matches(all[i], filters)) writeNetworkJson(json, all[i], call.version, call.version < LIST_WITHOUT_CONTAINERS);
  }
  json.endArray();
  sendJson(call, 200, line(json));
  return null;
}

export function inspectNetwork(call: Call): Refusal | null {
  const network = lookUpNetwork(call.name);
  if (network === null) return notFound(`network ${call.name} not found`);
  const json = new JsonWriter();
  writeNetworkJson(json, network, call.version, true);
  sendJson(call, 200, line(json));
  return null;
}

/** By id, by name, by a prefix of one id. */
export function lookUpNetwork(reference: string): Network | null {
  const exact = engine.networks.find(reference);
  if (exact !== null) return exact;
  const named = engine.networks.named(reference);
  if (named !== null) return named;
  let found: Network | null = null;
  const all = engine.networks.all();
  for (let i = 0; i < all.length; i++) {
    if (!all[i].id.startsWith(reference)) continue;
    if (found !== null) return null;
    found = all[i];
  }
  return found;
}

function matches(network: Network, filters: Filters): bool {
  return (
    filters.exact("driver", network.driver) &&
    filters.regex("name", network.name) &&
    filters.regex("id", network.id) &&
    filters.exact("scope", "local") &&
    filters.exact("type", "builtin") &&
    filters.labels("label", [], []) &&
    !filters.has("dangling")
  );
}

function writeNetworkJson(json: JsonWriter, network: Network, version: i32, withContainers: bool): void {
  json.beginObject();
  json.stringField("Name", network.name);
  json.stringField("Id", network.id);
  json.stringField("Created", formatTime(network.created));
  json.stringField("Scope", "local");
  json.stringField("Driver", network.driver);
  if (version >= 48) json.boolField("EnableIPv4", network.subnet.length > 0);
  json.boolField("EnableIPv6", false);
  writeAddresses(json, network);
  json.boolField("Internal", false);
  json.boolField("Attachable", false);
  json.boolField("Ingress", false);
  json.key("ConfigFrom");
  json.beginObject();
  json.stringField("Network", "");
  json.endObject();
  json.boolField("ConfigOnly", false);
  if (withContainers) writeContainers(json, network);
  json.key("Options");
  writeOptions(json, network);
  json.key("Labels");
  json.beginObject();
  json.endObject();
  json.endObject();
}

function writeAddresses(json: JsonWriter, network: Network): void {
  json.key("IPAM");
  json.beginObject();
  json.stringField("Driver", "default");
  json.nullField("Options");
  json.key("Config");
  json.beginArray();
  if (network.subnet.length > 0) {
    json.beginObject();
    json.stringField("Subnet", network.subnet);
    json.stringField("Gateway", network.gateway);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

function writeOptions(json: JsonWriter, network: Network): void {
  json.beginObject();
  if (network.driver == "bridge") {
    json.stringField("com.docker.network.bridge.default_bridge", "true");
    json.stringField("com.docker.network.bridge.enable_icc", "true");
    json.stringField("com.docker.network.bridge.enable_ip_masquerade", "true");
    json.stringField("com.docker.network.bridge.host_binding_ipv4", "0.0.0.0");
    json.stringField("com.docker.network.bridge.name", network.interfaceName);
    json.stringField("com.docker.network.driver.mtu", "1500");
  }
  json.endObject();
}

/** Running ones only. */
function writeContainers(json: JsonWriter, network: Network): void {
  json.key("Containers");
  json.beginObject();
  const all = engine.containers.all();
  for (let i = 0; i < all.length; i++) {
    const endpoint = all[i].endpoint;
    if (endpoint === null || endpoint.networkId != network.id || !all[i].running) continue;
    json.key(all[i].id);
    json.beginObject();
    json.stringField("Name", all[i].name);
    json.stringField("EndpointID", endpoint.endpointId);
    json.stringField("MacAddress", endpoint.mac);
    json.stringField("IPv4Address", `${endpoint.address}/${endpoint.prefixLength.toString()}`);
    json.stringField("IPv6Address", "");
    json.endObject();
  }
  json.endObject();
}
