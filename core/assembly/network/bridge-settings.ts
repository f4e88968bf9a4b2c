// The options of a bridge network: `com.docker.network.…`.

import { parseFlag } from "../api/parameters";
import { Json } from "../json/json";
import { badParameter, internal, Refusal } from "../refusal";
import { decimalOf } from "../text/decimal";
import { quoteText } from "../text/go-quote";
import { Address, canonicalAddress, parseAddress } from "./address/address";
import { EVERY_IPV4 } from "./address/wildcard";

const NAME: string = "com.docker.network.bridge.name";
const ICC: string = "com.docker.network.bridge.enable_icc";
const MASQUERADE: string = "com.docker.network.bridge.enable_ip_masquerade";
const BINDING: string = "com.docker.network.bridge.host_binding_ipv4";
const PREFIX: string = "com.docker.network.container_iface_prefix";
const MTU: string = "com.docker.network.driver.mtu";
const IPV4_MODE: string = "com.docker.network.bridge.gateway_mode_ipv4";
const IPV6_MODE: string = "com.docker.network.bridge.gateway_mode_ipv6";
const INHIBIT_IPV4: string = "com.docker.network.bridge.inhibit_ipv4";
const TRUSTED: string = "com.docker.network.bridge.trusted_host_interfaces";
const DEFAULT_BRIDGE: string = "com.docker.network.bridge.default_bridge";
const SOURCE: string = "com.docker.network.host_ipv4";
const IPV6_SOURCE: string = "com.docker.network.host_ipv6";
/** Bytes of an interface's name (IFNAMSIZ, without the final zero). */
const LONGEST_NAME: i32 = 15;
export const LARGEST_MTU: i32 = 65535;

/** Ports of the machine lead to containers, and nothing else gets in. */
export const NAT: string = "nat";
/** Besides, whoever knows the way reaches all ports of containers at their own addresses. */
const UNPROTECTED: string = "nat-unprotected";
/** Containers have their own addresses everywhere. Published ports are reached there, and no port of the machine leads to them. */
export const ROUTED: string = "routed";
/** The machine has no address on the network. */
export const ISOLATED: string = "isolated";
const ONLY_INTERNAL: string = "gateway mode 'isolated' can only be used for an internal network";

export class BridgeSettings {
  /** Name of the interface; empty if the engine chooses one. */
  interfaceName: string = "";
  /** Containers reach each other on the bridge. */
  connectsContainers: bool = true;
  /** Packets of containers leave under the machine's address. */
  masquerades: bool = true;
  /** The address under which they leave, in each family; empty for the one of the interface through which they leave. */
  sourceAddress: string = "";
  ipv6SourceAddress: string = "";
  /** The machine's interfaces from which published ports are reached at containers' own addresses. */
  trustedInterfaces: string[] = [];
  /** The machine gets no IPv4 address on the bridge. */
  inhibitsIpv4: bool = false;
  /** It asks for the interface of the default bridge. */
  isDefaultBridge: bool = false;
  /** How packets get in and out, in each family: `NAT`, `UNPROTECTED`, `ROUTED` or `ISOLATED`. */
  gatewayMode: string = NAT;
  ipv6GatewayMode: string = NAT;
  /** The address, IPv4 or IPv6, where a port is published that names none; empty for all addresses. */
  hostBinding: string = "";
  /** Bytes of the largest packet; 0 for the kernel's default. */
  mtu: u32 = 0;
  /** Prefix of the names of interfaces in containers; empty for `eth`. */
  interfacePrefix: string = "";
}

/** The options have been checked. */
export function bridgeSettingsOf(keys: string[], values: string[]): BridgeSettings {
  const settings = new BridgeSettings();
  for (let i = 0; i < keys.length; i++) {
    const value = values[i];
    if (keys[i] == NAME) settings.interfaceName = value;
    else if (keys[i] == ICC) settings.connectsContainers = parseFlag(value).value;
    else if (keys[i] == MASQUERADE) settings.masquerades = parseFlag(value).value;
    else if (keys[i] == IPV4_MODE) settings.gatewayMode = value;
    else if (keys[i] == IPV6_MODE) settings.ipv6GatewayMode = value;
    else if (keys[i] == BINDING) settings.hostBinding = value == EVERY_IPV4 ? "" : canonicalAddress(value);
    else if (keys[i] == SOURCE) settings.sourceAddress = canonicalAddress(value);
    else if (keys[i] == IPV6_SOURCE) settings.ipv6SourceAddress = canonicalAddress(value);
    else if (keys[i] == TRUSTED) settings.trustedInterfaces = interfacesIn(value);
    else if (keys[i] == INHIBIT_IPV4) settings.inhibitsIpv4 = parseFlag(value).value;
    else if (keys[i] == DEFAULT_BRIDGE) settings.isDefaultBridge = parseFlag(value).value;
    else if (keys[i] == PREFIX) settings.interfacePrefix = value;
    else if (keys[i] == MTU) settings.mtu = <u32>max(0, decimalOf(value, LARGEST_MTU));
  }
  return settings;
}

const MODES: string[] = [NAT, UNPROTECTED, ROUTED, ISOLATED];
/** Options that are true or false. */
const FLAGS: string[] = [ICC, MASQUERADE, INHIBIT_IPV4, DEFAULT_BRIDGE];

/** Why the options are refused; null if they are valid. `isInternal`: of the network. */
export function refuseBridgeOptions(options: Json | null, isInternal: bool): Refusal | null {
  if (options === null) return null;
  let isIsolated = false;
  for (let i = 0; i < options.keys.length; i++) {
    const refusal = refuseOption(options.keys[i], options.items[i].text);
    if (refusal !== null) return refusal;
    if (isMode(options.keys[i]) && options.items[i].text == ISOLATED) isIsolated = true;
  }
  return isIsolated && !isInternal ? internal(ONLY_INTERNAL) : null;
}

function isMode(name: string): bool {
  return name == IPV4_MODE || name == IPV6_MODE;
}

function refuseOption(name: string, value: string): Refusal | null {
  if (name == PREFIX)
    return isPrefix(value) ? null : badParameter(`invalid container interface prefix: ${quoteText(value)}`);
  if (name == NAME) return isInterfaceName(value) ? null : badParameter(`invalid bridge name: ${quoteText(value)}`);
  if (FLAGS.includes(name)) return unparsed(name, value, parseFlag(value).error);
  if (isMode(name)) return MODES.includes(value) ? null : unparsed(name, value, `unknown gateway mode ${value}`);
  if (name == BINDING) return parseAddress(value) === null ? unparsed(name, value, NO_ADDRESS) : null;
  if (name == SOURCE || name == IPV6_SOURCE) return refuseSource(name, value);
  if (name == TRUSTED) return refuseInterfaces(value);
  return name == MTU ? refuseMtu(value) : null;
}

const NO_ADDRESS: string = "nil ip";

/** Packets of a family leave under an address of that family. */
function refuseSource(name: string, value: string): Refusal | null {
  const address: Address | null = parseAddress(value);
  const fits = address !== null && address.isIpv6 == (name == IPV6_SOURCE);
  return fits ? null : unparsed(name, value, NO_ADDRESS);
}

/** Each name once. Docker's separator: a name of an interface has no colon. */
function interfacesIn(value: string): string[] {
  const names: string[] = [];
  const all = value.split(":");
  for (let i = 0; i < all.length; i++) if (all[i].length > 0 && !names.includes(all[i])) names.push(all[i]);
  return names;
}

/** Docker takes any text, and fails when it makes its rules. */
function refuseInterfaces(value: string): Refusal | null {
  const names = interfacesIn(value);
  for (let i = 0; i < names.length; i++) {
    if (!isInterfaceName(names[i])) return unparsed(TRUSTED, value, `invalid interface name ${quoteText(names[i])}`);
  }
  return null;
}

function refuseMtu(value: string): Refusal | null {
  if (decimalOf(value, LARGEST_MTU) >= 0) return null;
  const digits = value.startsWith("-") ? value.slice(1) : value;
  if (isDecimal(digits)) return badParameter(`invalid MTU number: ${value}`);
  return unparsed(MTU, value, `strconv.Atoi: parsing ${quoteText(value)}: invalid syntax`);
}

function isDecimal(text: string): bool {
  for (let i = 0; i < text.length; i++) if (!"0123456789".includes(text.charAt(i))) return false;
  return text.length > 0;
}

/** `why`: empty if the value is valid. */
function unparsed(name: string, value: string, why: string): Refusal | null {
  return why.length == 0 ? null : badParameter(`failed to parse ${name} value: ${value} (${why})`);
}

/**
 * A name that the kernel allows, and that means itself in firewall rules (`e*` and `e+` do not). An empty one leaves the
 * choice to the engine.
 */
export function isInterfaceName(name: string): bool {
  if (name == "." || name == ".." || name.length > LONGEST_NAME) return false;
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    if (unit <= 0x20 || unit >= 0x7f || FORBIDDEN.includes(name.charAt(i))) return false;
  }
  return true;
}

/** A number follows it, of up to three digits. */
function isPrefix(prefix: string): bool {
  return prefix.length + 3 <= LONGEST_NAME && isInterfaceName(prefix + "0");
}

const FORBIDDEN: string = '/:"\\*+%';
