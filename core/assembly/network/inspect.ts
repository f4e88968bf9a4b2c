// GET /networks and /networks/{id}: the three built-in networks (surface §2.24, §6.5).

import { FilterFlag, Filters, parseFilters } from "../api/filters";
import { strictFlagOf } from "../api/parameters";
import { Call } from "../call";
import { containerStore } from "../container/store";
import { JsonWriter } from "../json/writer";
import { badParameter, internal, notFound, Refusal } from "../refusal";
import { line, sendJson } from "../reply";
import { formatTime } from "../text/time";
import { parseSubnet } from "./addresses";
import { lookUpNetwork } from "./look-up";
import { Network } from "./network";
import { networkStore } from "./store";

/** From this version on, the list has no `Containers`. */
const LIST_WITHOUT_CONTAINERS = 28;
/** From this version on, inspect shows how many addresses are in use. */
const WITH_STATUS = 52;
const KEYS: string[] = ["driver", "name", "id", "label", "scope", "type", "dangling"];
const TYPES: string[] = ["builtin", "custom"];

export function listNetworks(call: Call): Refusal | null {
  const filters = parseFilters(call.query.first("filters"), KEYS);
  if (filters.error.length > 0) return badParameter(filters.error);
  const problem = refuseValues(filters);
  if (problem !== null) return problem;
  const all = networkStore.all();
  const json = new JsonWriter();
  json.beginArray();
  for (let i = 0; i < all.length; i++) {
    if (!matches(all[i], filters)) continue;
    writeNetworkJson(json, all[i], call.version, call.version < LIST_WITHOUT_CONTAINERS, false);
  }
  json.endArray();
  sendJson(call, 200, line(json));
  return null;
}

export function inspectNetwork(call: Call): Refusal | null {
  // Adds services and tasks, which only a swarm has.
  const verbose = strictFlagOf(call.query, "verbose");
  if (call.version >= 28 && verbose.error.length > 0) {
    return badParameter(`invalid value for verbose: ${call.query.first("verbose")}: ${verbose.error}`);
  }
  const lookup = lookUpNetwork(call.name);
  const network = lookup.network;
  if (network === null) return lookup.refusal;
  const scope = call.version >= 31 ? call.query.first("scope") : "";
  if (scope.length > 0 && scope != "local") return notFound(`network ${call.name} not found`);
  const json = new JsonWriter();
  writeNetworkJson(json, network, call.version, true, call.version >= WITH_STATUS);
  sendJson(call, 200, line(json));
  return null;
}

function refuseValues(filters: Filters): Refusal | null {
  if (filters.flag("dangling") == FilterFlag.Bad) return badParameter(filters.flagError("dangling"));
  const types = filters.values("type");
  for (let i = 0; i < types.length; i++) {
    if (!TYPES.includes(types[i])) return internal(`invalid filter: 'type'='${types[i]}'`);
  }
  return null;
}

/** Built-in networks count as in use even without containers: none of them is dangling. */
function matches(network: Network, filters: Filters): bool {
  return (
    filters.exact("driver", network.driver) &&
    filters.regex("name", network.name) &&
    filters.regex("id", network.id) &&
    filters.exact("scope", "local") &&
    filters.exact("type", "builtin") &&
    filters.labels("label", [], []) &&
    filters.flag("dangling") != FilterFlag.True
  );
}

function writeNetworkJson(
  json: JsonWriter,
  network: Network,
  version: i32,
  withContainers: bool,
  withStatus: bool,
): void {
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
  if (withStatus) writeStatus(json, network);
  json.endObject();
}

/** The network's own address, the broadcast address and the gateway count as in use, too. */
function writeStatus(json: JsonWriter, network: Network): void {
  json.key("Status").beginObject();
  json.key("IPAM").beginObject();
  const subnet = parseSubnet(network.subnet);
  if (subnet !== null) {
    const used = networkStore.addressesOf(network) + 3;
    json.key("Subnets").beginObject();
    json.key(network.subnet).beginObject();
    json.i64Field("IPsInUse", used);
    json.i64Field("DynamicIPsAvailable", <i64>subnet.last - <i64>subnet.base + 1 - used);
    json.endObject();
    json.endObject();
  }
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

/** Running containers only. */
function writeContainers(json: JsonWriter, network: Network): void {
  json.key("Containers");
  json.beginObject();
  const all = containerStore.all();
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
