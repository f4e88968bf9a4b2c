// A network as clients see it (surface §6.5).

import { JsonWriter } from "../json/writer";
import { formatTime } from "../text/time";
import { containersOn, endpointAt } from "./endpoint/containers-on-network";
import { IpamConfig } from "./ipam/ipam-config";
import { Network } from "./network";

/** From this version on, a network tells whether it has IPv4. */
const WITH_IPV4 = 48;

export function writeNetworkJson(
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
  if (version >= WITH_IPV4) json.boolField("EnableIPv4", network.ipv4 !== null || isConfigured(network));
  json.boolField("EnableIPv6", network.withIpv6);
  writeIpam(json, network);
  json.boolField("Internal", network.internal);
  json.boolField("Attachable", network.attachable);
  json.boolField("Ingress", false);
  json.key("ConfigFrom").beginObject().stringField("Network", network.configFrom).endObject();
  json.boolField("ConfigOnly", network.configOnly);
  if (withContainers) writeContainers(json, network);
  json.key("Options").textMap(network.optionKeys, network.optionValues);
  json.key("Labels").textMap(network.labelKeys, network.labelValues);
  if (withStatus) writeStatus(json, network);
  json.endObject();
}

/** It is a configuration for networks with IPv4. */
function isConfigured(network: Network): bool {
  return network.configOnly && !network.withoutIpv4;
}

/** Counts of addresses. Those of the network itself, for broadcasts and of the machine count as in use, too. */
function writeStatus(json: JsonWriter, network: Network): void {
  json.key("Status").beginObject().key("IPAM").beginObject();
  const pools = network.pools;
  if (pools.length > 0) json.key("Subnets").beginObject();
  for (let i = 0; i < pools.length; i++) {
    json.key(pools[i].subnet.text).beginObject();
    json.i64Field("IPsInUse", pools[i].used);
    json.key("DynamicIPsAvailable").u64(pools[i].available);
    json.endObject();
  }
  if (pools.length > 0) json.endObject();
  json.endObject().endObject();
}

function writeIpam(json: JsonWriter, network: Network): void {
  json.key("IPAM").beginObject();
  json.stringField("Driver", network.withoutAddresses ? "null" : "default");
  if (network.ipamOptionKeys.length == 0) json.nullField("Options");
  else {
    json.key("Options").textMap(network.ipamOptionKeys, network.ipamOptionValues);
  }
  json.key("Config").beginArray();
  for (let i = 0; i < network.ipam.length; i++) writeConfig(json, network.ipam[i]);
  json.endArray().endObject();
}

function writeConfig(json: JsonWriter, config: IpamConfig): void {
  json.beginObject();
  json.stringField("Subnet", config.subnet);
  if (config.range.length > 0) json.stringField("IPRange", config.range);
  if (config.gateway.length > 0 && !config.gatewayHidden) json.stringField("Gateway", config.gateway);
  if (config.auxiliaryKeys.length > 0) {
    json.key("AuxiliaryAddresses").textMap(config.auxiliaryKeys, config.auxiliaryValues);
  }
  json.endObject();
}

/** Running containers only. */
function writeContainers(json: JsonWriter, network: Network): void {
  json.key("Containers").beginObject();
  const all = containersOn(network);
  for (let i = 0; i < all.length; i++) {
    if (!all[i].running) continue;
    const place = endpointAt(all[i], network).place!;
    json.key(all[i].id).beginObject();
    json.stringField("Name", all[i].name);
    json.stringField("EndpointID", place.endpointId);
    json.stringField("MacAddress", place.mac);
    json.stringField("IPv4Address", withPrefix(place.address, place.prefixLength));
    json.stringField("IPv6Address", withPrefix(place.ipv6Address, place.ipv6PrefixLength));
    json.endObject();
  }
  json.endObject();
}

/** Empty for no address. */
function withPrefix(address: string, prefixLength: i32): string {
  return address.length == 0 ? "" : `${address}/${prefixLength.toString()}`;
}
