// Which families of addresses a new network has: by `EnableIPv4` and `EnableIPv6`, or else by the driver options
// `com.docker.network.enable_ipv4` and `…6`, whatever the driver (surface §2.24).

import { parseFlag } from "../api/parameters";
import { Json } from "../json/json";
import { quoteText } from "../text/go-quote";
import { configFrom } from "./configuration";
import { Network } from "./network";

/** Before this version, a client's `EnableIPv4` is ignored; that of a configuration is not. */
const WITHOUT_IPV4: i32 = 48;
const IPV4_OPTION: string = "com.docker.network.enable_ipv4";
const IPV6_OPTION: string = "com.docker.network.enable_ipv6";

/** Why an option that counts is neither true nor false; empty if it is. `wish`: the body of the request. */
export function familyOptionProblem(wish: Json, version: i32): string {
  if (ipv4FieldOf(wish, version) === null && isNoFlag(wish, IPV4_OPTION)) return problemOf(IPV4_OPTION);
  return ipv6FieldOf(wish) === null && isNoFlag(wish, IPV6_OPTION) ? problemOf(IPV6_OPTION) : "";
}

export function wantsIpv4(wish: Json, version: i32): bool {
  const field = ipv4FieldOf(wish, version);
  return field === null ? flagOf(wish, IPV4_OPTION, true) : field.bool;
}

export function wantsIpv6(wish: Json): bool {
  const field = ipv6FieldOf(wish);
  return field === null ? flagOf(wish, IPV6_OPTION, false) : field.bool;
}

/** As in Docker, an option that a field overrides is not shown. Those of a configuration are. */
export function keepFamilyOptions(network: Network, wish: Json, version: i32): void {
  if (network.configFrom.length > 0) return;
  if (ipv4FieldOf(wish, version) !== null) forget(network, IPV4_OPTION);
  if (ipv6FieldOf(wish) !== null) forget(network, IPV6_OPTION);
}

function forget(network: Network, option: string): void {
  const index = network.optionKeys.indexOf(option);
  if (index < 0) return;
  network.optionKeys.splice(index, 1);
  network.optionValues.splice(index, 1);
}

function ipv4FieldOf(wish: Json, version: i32): Json | null {
  const isIgnored = version < WITHOUT_IPV4 && configFrom(wish).length == 0;
  return isIgnored ? null : fieldOf(wish, "EnableIPv4");
}

function ipv6FieldOf(wish: Json): Json | null {
  return fieldOf(wish, "EnableIPv6");
}

function fieldOf(wish: Json, name: string): Json | null {
  const field = wish.entry(name);
  return field === null || field.isNull ? null : field;
}

function optionOf(wish: Json, name: string): Json | null {
  const options = wish.entry("Options");
  return options === null ? null : options.entry(name);
}

function isNoFlag(wish: Json, name: string): bool {
  const option = optionOf(wish, name);
  return option !== null && parseFlag(option.text).error.length > 0;
}

function flagOf(wish: Json, name: string, usual: bool): bool {
  const option = optionOf(wish, name);
  return option === null ? usual : parseFlag(option.text).value;
}

function problemOf(option: string): string {
  return `driver-opt ${quoteText(option)} is not a valid bool`;
}
