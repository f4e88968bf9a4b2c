// Networks that are only a configuration (`ConfigOnly`): other networks copy it (`ConfigFrom`) instead of bringing one
// of their own (surface §2.24). The host knows nothing of them, and no container can be on one.

import { Json } from "../json/json";
import { forbidden, notFound, Refusal } from "../refusal";
import { quoteText } from "../text/go-quote";
import { Network } from "./network";
import { networkStore } from "./store";

const OF_NETWORKS_ONLY: string =
  "configuration network can only contain network specific fields. Network operator fields like " +
  "[ ingress | internal | attachable | scope ] are not supported.";
const OWN_SETTINGS: string =
  "user specified configurations are not supported if the network depends on a configuration network";
const OWN_OPTIONS: string =
  "network driver options are not supported if the network depends on a configuration network";

/** Docker's answer to a container that wants to be on such a network. */
export const NO_ENDPOINTS: string = "cannot create endpoint on configuration-only network";

/** Why a new network cannot be such a configuration, or take one; null if it can. `wish`: the body of the request. */
export function refuseConfiguration(wish: Json): Refusal | null {
  const from = configFrom(wish);
  if (wish.boolOf("ConfigOnly")) {
    if (isForOperators(wish)) return forbidden(OF_NETWORKS_ONLY);
    return from.length == 0
      ? null
      : forbidden("a configuration network cannot depend on another configuration network");
  }
  if (from.length == 0) return null;
  if (hasSettings(wish)) return forbidden(OWN_SETTINGS);
  const options = wish.entry("Options");
  if (options !== null && options.length > 0) return forbidden(OWN_OPTIONS);
  if (configurationNamed(from) !== null) return null;
  return notFound(`configuration network ${quoteText(from)} does not exist`);
}

/** Whether the wish says anything about how the network is used. */
function isForOperators(wish: Json): bool {
  const uses = wish.boolOf("Ingress") || wish.boolOf("Internal") || wish.boolOf("Attachable");
  return uses || wish.stringOf("Scope").length > 0;
}

/** Whether the wish brings what the configuration has, too; driver options are told apart. */
function hasSettings(wish: Json): bool {
  const ipv4 = wish.entry("EnableIPv4");
  const withoutIpv4 = ipv4 !== null && !ipv4.isNull && !ipv4.bool;
  return withoutIpv4 || wish.boolOf("EnableIPv6") || has(wish, "Labels") || hasIpam(wish.entry("IPAM"));
}

function hasIpam(ipam: Json | null): bool {
  if (ipam === null || ipam.isNull) return false;
  const driver = ipam.stringOf("Driver");
  return (driver.length > 0 && driver != "default") || has(ipam, "Options") || has(ipam, "Config");
}

function has(wish: Json, name: string): bool {
  const value = wish.entry(name);
  return value !== null && value.length > 0;
}

/** The name of the configuration that the wish asks for; empty if it asks for none. */
export function configFrom(wish: Json): string {
  const from = wish.entry("ConfigFrom");
  return from === null ? "" : from.stringOf("Network");
}

/** As in Docker, not by its id. */
function configurationNamed(name: string): Network | null {
  const found = networkStore.named(name);
  return found === null || !found.configOnly || found.removing ? null : found;
}

/** The wish with the configuration that it asks for, which exists; the wish itself if it asks for none. */
export function configured(wish: Json): Json {
  const name = configFrom(wish);
  if (name.length == 0) return wish;
  const network = configurationNamed(name)!;
  const whole = wish.branch();
  whole.set("EnableIPv4", Json.bool(!network.withoutIpv4));
  whole.set("EnableIPv6", Json.bool(network.withIpv6));
  whole.set("IPAM", ipamOf(network));
  whole.set("Options", mapOf(network.optionKeys, network.optionValues));
  whole.set("Labels", mapOf(network.labelKeys, network.labelValues));
  return whole;
}

function ipamOf(network: Network): Json {
  const configs = Json.array();
  for (let i = 0; i < network.ipam.length; i++) {
    const given = network.ipam[i];
    const config = Json.object();
    config.set("Subnet", Json.string(given.subnet));
    config.set("IPRange", Json.string(given.range));
    config.set("Gateway", Json.string(given.gateway));
    config.set("AuxiliaryAddresses", mapOf(given.auxiliaryKeys, given.auxiliaryValues));
    configs.push(config);
  }
  const ipam = Json.object();
  ipam.set("Driver", Json.string(network.withoutAddresses ? "null" : ""));
  ipam.set("Options", mapOf(network.ipamOptionKeys, network.ipamOptionValues));
  ipam.set("Config", configs);
  return ipam;
}

function mapOf(keys: string[], values: string[]): Json {
  const map = Json.object();
  for (let i = 0; i < keys.length; i++) map.set(keys[i], Json.string(values[i]));
  return map;
}

/** Whether another network has its configuration. */
export function isConfigurationInUse(network: Network): bool {
  const all = networkStore.all();
  for (let i = 0; i < all.length; i++) if (network.configOnly && all[i].configFrom == network.name) return true;
  return false;
}
