// Endpoint settings other than the hardware address. Inspect shows them unchanged. The start refuses those that only
// user-defined networks support (surface §6.2). Sysctls in an endpoint apply to its interface.

import { Link } from "../../../../build/bindings/types";
import { Json } from "../../json/json";
import { MembersByName } from "../../json/members-by-name";
import { parseKept } from "../../json/reader";
import { jsonBytes, JsonWriter } from "../../json/writer";
import { Address, parseAddress } from "../../network/address/address";
import { strictAddress } from "../../network/address/strict";
import { EVERY_IPV4, EVERY_IPV6 } from "../../network/address/wildcard";
import { isInterfaceName } from "../../network/bridge-settings";
import { Endpoint } from "../../network/endpoint/endpoint";
import { networkOf } from "../../network/endpoint/endpoints-of-container";
import { listOfProblems } from "../../network/list-of-problems";
import { Network } from "../../network/network";
import { badParameter, Refusal } from "../../refusal";
import { quoteText } from "../../text/go-quote";
import { Container } from "../container";
import { linkProblem } from "../links/links";
import { OTHER_CODE, StartError } from "../start/start-error";
import { addSysctls, isSetByRuntime, refuseSysctls, SYSCTLS } from "./interface-sysctls";

const SHOWN: string[] = ["IPAMConfig", "Links", "Aliases", "DriverOpts", "GwPriority"];
/** The driver option that names the interface in the container. */
const INTERFACE_NAME = "com.docker.network.endpoint.ifname";

/** An empty array if there are no settings to show. */
export function keptSettings(given: Json): Uint8Array {
  const kept = Json.object();
  for (let i = 0; i < SHOWN.length; i++) {
    const value = given.entry(SHOWN[i]);
    if (value !== null && !value.isNull) kept.set(SHOWN[i], value);
  }
  return kept.length > 0 ? jsonBytes(kept) : new Uint8Array(0);
}

export function settingsOf(endpoint: Endpoint): Json {
  return endpoint.settings.length > 0 ? parseKept(endpoint.settings)! : Json.object();
}

export function writeSetting(json: JsonWriter, settings: Json, name: string): void {
  const value = settings.entry(name);
  if (value === null) json.nullField(name);
  else json.key(name).json(value);
}

/** Why the settings are invalid. */
export function refuseSettings(settings: Json): Refusal | null {
  const addresses = settings.entry("IPAMConfig");
  if (addresses !== null) {
    const four = addresses.stringOf("IPv4Address");
    if (four.length > 0 && !isOfFamily(four, false)) return badParameter(`invalid IPv4 address: ${four}`);
    const six = addresses.stringOf("IPv6Address");
    if (six.length > 0 && !isOfFamily(six, true)) return badParameter(`invalid IPv6 address: ${six}`);
    const linkLocal = refuseLinkLocal(addresses.stringsOf("LinkLocalIPs"));
    if (linkLocal !== null) return linkLocal;
  }
  const links = settings.stringsOf("Links");
  for (let i = 0; i < links.length; i++) {
    if (endpointLink(links[i]) === null) return badParameter(linkProblem(links[i]));
  }
  const options = settings.entry("DriverOpts");
  if (options === null) return null;
  for (let i = 0; i < options.keys.length; i++) {
    const name = options.keys[i];
    const value = options.items[i].text;
    if (name == INTERFACE_NAME && !isInterfaceName(value)) {
      return badParameter(`invalid interface name ${quoteText(value)} for ${INTERFACE_NAME}`);
    }
    const refusal: Refusal | null = name == SYSCTLS ? refuseSysctls(value) : null;
    if (refusal !== null) return refusal;
  }
  return null;
}

/** As Docker, it does not ask whether they are in the block of link-local addresses. */
function refuseLinkLocal(texts: string[]): Refusal | null {
  for (let i = 0; i < texts.length; i++) {
    const address: Address | null = parseAddress(texts[i]);
    if (address === null || address.text == EVERY_IPV4 || address.text == EVERY_IPV6) {
      return badParameter(`invalid link-local IP address: ${texts[i]}`);
    }
  }
  return null;
}

/** The name that the client chose for the interface in the container; empty if the engine chooses. */
export function wantedInterface(endpoint: Endpoint): string {
  const options = settingsOf(endpoint).entry("DriverOpts");
  return options === null ? "" : options.stringOf(INTERFACE_NAME);
}

/** `NAME:ALIAS` of an endpoint: a name that only this container uses for another one there; null for another text. */
export function endpointLink(text: string): Link | null {
  const parts = text.split(":");
  if (parts.length > 2 || parts[0].length == 0) return null;
  const alias = parts.length == 2 ? parts[1] : parts[0];
  const short = alias.slice(alias.lastIndexOf("/") + 1);
  return short.length == 0 ? null : new Link(short, parts[0].startsWith("/") ? parts[0].slice(1) : parts[0]);
}

function isOfFamily(text: string, ipv6: bool): bool {
  const address: Address | null = strictAddress(text);
  return address !== null && address.isIpv6 == ipv6;
}

/** Why the container cannot be started: one of its networks does not support its settings there. */
export function settingsProblem(container: Container): StartError | null {
  if (container.networkDisabled) return null;
  for (let i = 0; i < container.endpoints.length; i++) {
    const text = settingsText(container.endpoints[i]);
    if (text.length > 0) return new StartError(text, OTHER_CODE, badParameter(text));
  }
  return null;
}

/** Empty if there is no problem. */
function settingsText(endpoint: Endpoint): string {
  const network = networkOf(endpoint);
  const settings = settingsOf(endpoint);
  if (network === null || network.isBuiltIn) {
    const problems = ofOwnNetworks(settings);
    return problems.length == 0 ? "" : problems[0];
  }
  const problems = settingsProblems(network, settings);
  return problems.length == 0 ? "" : `invalid endpoint settings:\n${listOfProblems(problems)}`;
}

/** A fixed address must be in a subnet that a client gave: the engine's own choice may change. */
export function settingsProblems(network: Network, settings: Json): string[] {
  const problems: string[] = [];
  const config = settings.entry("IPAMConfig");
  const fixed: string[] = config === null ? [] : [config.stringOf("IPv4Address"), config.stringOf("IPv6Address")];
  for (let i = 0; i < fixed.length; i++) {
    if (fixed[i].length > 0) problems.push(subnetProblem(network, fixed[i]));
  }
  return problems.filter((problem: string) => problem.length > 0);
}

/** Empty if there is none. `text`: the fixed address; create has not always checked it. */
function subnetProblem(network: Network, text: string): string {
  const address: Address | null = parseAddress(text);
  const ipv6 = address !== null && address.isIpv6;
  if (!(ipv6 ? network.ipv6SubnetsGiven : network.subnetsGiven)) {
    return "user specified IP address is supported only when connecting to networks with user configured subnets";
  }
  if (address !== null && network.poolWith(address) !== null) return "";
  return `no configured subnet contains IP address ${text}`;
}

/** The settings that only user-defined networks support. */
export function ofOwnNetworks(settings: Json): string[] {
  const problems: string[] = [];
  const addresses = settings.entry("IPAMConfig");
  if (addresses !== null && !addresses.isNull) {
    const fixed = addresses.stringOf("IPv4Address").length > 0 || addresses.stringOf("IPv6Address").length > 0;
    if (fixed) problems.push("user specified IP address is supported on user defined networks only");
  }
  if (settings.stringsOf("Aliases").length > 0) {
    problems.push("network-scoped alias is supported only for containers in user defined networks");
  }
  return problems;
}

/** Adds the sysctls of the container's interfaces. */
export function addInterfaceSysctls(sysctls: MembersByName, container: Container): void {
  for (let i = 0; i < container.endpoints.length; i++) {
    const place = container.endpoints[i].place;
    if (place === null || !isSetByRuntime(place.interfaceName)) continue;
    const options = settingsOf(container.endpoints[i]).entry("DriverOpts");
    if (options !== null) addSysctls(sysctls, options.stringOf(SYSCTLS), place.interfaceName);
  }
}
