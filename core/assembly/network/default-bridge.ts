// The settings of the default bridge: those of the options, which may change from one start of the engine to the next.

import { NetworkOptions } from "../../../build/bindings/types";
import { tellAdopted } from "../records/found";
import { engine } from "../state";
import { Address, parseAddress } from "./address/address";
import { parsePrefix, parseSubnet, Subnet } from "./address/subnet";
import { containersOn } from "./endpoint/containers-on-network";
import { anySubnet } from "./ipam/default-pools";
import { IpamConfig, OTHER_GATEWAY, OTHER_IPV6_GATEWAY } from "./ipam/ipam-config";
import { Network } from "./network";

/** Docker shows them in this order. */
export function setBridgeOptions(network: Network): void {
  const given = engine.options.networks;
  network.optionKeys.length = 0;
  network.optionValues.length = 0;
  setOption(network, "bridge.default_bridge", "true");
  setOption(network, "bridge.enable_icc", given.bridgeConnects.toString());
  setOption(network, "bridge.enable_ip_masquerade", given.bridgeMasquerades.toString());
  setOption(network, "bridge.host_binding_ipv4", given.bridgeBinding.length > 0 ? given.bridgeBinding : "0.0.0.0");
  setOption(network, "bridge.name", network.interfaceName);
  setOption(network, "driver.mtu", given.bridgeMtu.length > 0 ? given.bridgeMtu : "1500");
}

function setOption(network: Network, name: string, value: string): void {
  network.optionKeys.push(`com.docker.network.${name}`);
  network.optionValues.push(value);
}

/** What the options say about the bridge's addresses of one family. Empty texts leave the choice to the engine. */
export class BridgeWish {
  constructor(
    readonly ipv6: bool,
    /** With the length of its prefix. */
    readonly address: string,
    readonly range: string,
    readonly gateway: string,
  ) {}
}

export function bridgeWish(given: NetworkOptions, ipv6: bool): BridgeWish {
  if (ipv6) return new BridgeWish(true, given.bridgeIpv6Address, given.bridgeIpv6Range, given.bridgeIpv6Gateway);
  return new BridgeWish(false, given.bridgeAddress, given.bridgeRange, given.bridgeGateway);
}

/**
 * As in Docker, a bridge on which containers are keeps its addresses, and stays with or without IPv6. `taken`: the
 * subnets of all networks.
 */
export function setBridgeAddresses(network: Network, taken: Subnet[]): void {
  const before = network.ipv4!;
  const ipv6Before = network.ipv6;
  let ipv4 = addressConfig(before, false, taken);
  let ipv6: IpamConfig | null = engine.options.networks.bridgeIpv6 ? addressConfig(ipv6Before, true, taken) : null;
  const isSame = isSamePlace(ipv4, before) && isSamePlace(ipv6, ipv6Before);
  if (!isSame && containersOn(network).length > 0) {
    ipv4 = copyOf(before);
    ipv6 = ipv6Before === null ? null : copyOf(ipv6Before);
    tellKept(network, ipv4, ipv6);
  }
  setRange(ipv4);
  if (ipv6 !== null) setRange(ipv6);
  network.setAddresses(ipv4, ipv6);
}

function isSamePlace(one: IpamConfig | null, other: IpamConfig | null): bool {
  if (one === null || other === null) return one === other;
  return one.subnet == other.subnet && one.gateway == other.gateway;
}

function copyOf(config: IpamConfig): IpamConfig {
  return configOf(parseSubnet(config.subnet)!, config.gateway);
}

function tellKept(network: Network, ipv4: IpamConfig, ipv6: IpamConfig | null): void {
  const addresses = ipv6 === null ? `address ${ipv4.gateway}` : `addresses ${ipv4.gateway} and ${ipv6.gateway}`;
  tellAdopted(`network ${network.name}`, `containers are on it, so it keeps its ${addresses}`);
}

/** The range of the containers' addresses, and where their default route leads, as far as they are in the subnet. */
function setRange(config: IpamConfig): void {
  const ipv6 = config.isIpv6;
  const wish = bridgeWish(engine.options.networks, ipv6);
  const subnet = parseSubnet(config.subnet)!;
  const range = parseSubnet(wish.range);
  // As in Docker, the whole of an IPv6 subnet is not shown as a range of it.
  const isPart = range !== null && subnet.contains(range.base) && subnet.contains(range.last);
  if (isPart && !(ipv6 && range!.equals(subnet))) config.range = range!.text;
  const other: Address | null = parseAddress(wish.gateway);
  if (other !== null && subnet.contains(other)) {
    config.auxiliaryKeys.push(ipv6 ? OTHER_IPV6_GATEWAY : OTHER_GATEWAY);
    config.auxiliaryValues.push(other.text);
  }
}

/**
 * What the options wish. Without a wish, and if another network has addresses of it, the bridge keeps what it has.
 * `before`: null if it has none of this family. `taken`: the subnets of all networks.
 */
function addressConfig(before: IpamConfig | null, ipv6: bool, taken: Subnet[]): IpamConfig {
  const wished = wishedConfig(before, ipv6);
  if (wished !== null && !isTaken(wished, before, taken)) return wished;
  if (before !== null) return copyOf(before);
  return firstOf(anySubnet(taken, ipv6));
}

/**
 * The given address. Without one, a range that is not in the subnet becomes the subnet; as in Docker, the bridge keeps
 * an address that is in it. Null if the options leave the choice to the engine.
 */
function wishedConfig(before: IpamConfig | null, ipv6: bool): IpamConfig | null {
  const wish = bridgeWish(engine.options.networks, ipv6);
  const prefix = parsePrefix(wish.address);
  if (prefix !== null) return configOf(prefix.subnet, prefix.address.text);
  const range = parseSubnet(wish.range);
  if (range === null) return null;
  if (before === null) return firstOf(range);
  const had = parseSubnet(before.subnet)!;
  if (had.contains(range.base) && had.contains(range.last)) return null;
  const isKept = range.contains(parseAddress(before.gateway)!) && before.gateway != range.base.text;
  return isKept ? configOf(range, before.gateway) : firstOf(range);
}

/** Two networks with the same addresses would take each other's packets. */
function isTaken(wished: IpamConfig, before: IpamConfig | null, taken: Subnet[]): bool {
  const subnet = parseSubnet(wished.subnet)!;
  for (let i = 0; i < taken.length; i++) {
    const isOwn = before !== null && taken[i].text == before.subnet;
    if (isOwn || !taken[i].overlaps(subnet)) continue;
    tellAdopted("network bridge", `another network has addresses of ${subnet.text}, so it does not get them`);
    return true;
  }
  return false;
}

function firstOf(subnet: Subnet): IpamConfig {
  return configOf(subnet, subnet.base.plus(1).text);
}

/**
 * The machine's address on a lost bridge, of which a container's default route tells: the options may lead that to
 * another address, which is no machine's then.
 */
export function machineConfig(route: Address, prefixLength: i32): IpamConfig {
  const subnet = new Subnet(route, prefixLength);
  const wish = bridgeWish(engine.options.networks, route.isIpv6);
  const other: Address | null = parseAddress(wish.gateway);
  if (other === null || !other.equals(route)) return configOf(subnet, route.text);
  const prefix = parsePrefix(wish.address);
  return prefix !== null && prefix.subnet.equals(subnet) ? configOf(subnet, prefix.address.text) : firstOf(subnet);
}

/** `gateway`: the machine's address in the subnet. */
export function configOf(subnet: Subnet, gateway: string): IpamConfig {
  const config = new IpamConfig(subnet.text);
  config.gateway = gateway;
  return config;
}
