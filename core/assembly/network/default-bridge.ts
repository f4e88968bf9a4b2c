// The settings of the default bridge: those of the options, which may change from one start of the engine to the next.

import { NetworkOptions } from "../../../build/bindings/types";
import { tellAdopted } from "../records/found";
import { engine } from "../state";
import { decimalOf } from "../text/decimal";
import { quoteText } from "../text/go-quote";
import { Address, parseAddress } from "./address/address";
import { parseIpv4 } from "./address/ipv4-text";
import { parsePrefix, parseSubnet, Subnet } from "./address/subnet";
import { LARGEST_MTU } from "./bridge-settings";
import { containersOn } from "./endpoint/containers-on-network";
import { poolsProblem } from "./ipam/default-pools";
import { IpamConfig, OTHER_GATEWAY } from "./ipam/ipam-config";
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

/** As in Docker, a bridge on which containers are keeps its address. */
export function setBridgeAddresses(network: Network): void {
  const config = keptOrNew(network, network.ipv4!);
  setRange(config);
  network.setAddresses(config, null);
}

function keptOrNew(network: Network, before: IpamConfig): IpamConfig {
  const wanted = addressConfig(before);
  const isSame = wanted.subnet == before.subnet && wanted.gateway == before.gateway;
  if (isSame || containersOn(network).length == 0) return wanted;
  tellAdopted(`network ${network.name}`, `containers are on it, so it keeps its address ${before.gateway}`);
  const kept = new IpamConfig(before.subnet);
  kept.gateway = before.gateway;
  return kept;
}

/** The range of the containers' addresses, and where their default route leads, as far as they are in the subnet. */
function setRange(config: IpamConfig): void {
  const given = engine.options.networks;
  const subnet = parseSubnet(config.subnet)!;
  const range = parseSubnet(given.bridgeRange);
  if (range !== null && subnet.contains(range.base) && subnet.contains(range.last)) config.range = range.text;
  const other: Address | null = parseAddress(given.bridgeGateway);
  if (other !== null && subnet.contains(other)) {
    config.auxiliaryKeys.push(OTHER_GATEWAY);
    config.auxiliaryValues.push(other.text);
  }
}

/** The given address. Without one, a range that is elsewhere becomes the subnet; else the bridge keeps what it has. */
function addressConfig(before: IpamConfig): IpamConfig {
  const given = engine.options.networks;
  const prefix = parsePrefix(given.bridgeAddress);
  const range = parseSubnet(given.bridgeRange);
  if (prefix !== null) return configOf(prefix.subnet, prefix.address);
  if (range === null || parseSubnet(before.subnet)!.contains(range.base)) {
    return configOf(parseSubnet(before.subnet)!, parseAddress(before.gateway)!);
  }
  return configOf(range, range.base.plus(1));
}

function configOf(subnet: Subnet, gateway: Address): IpamConfig {
  const config = new IpamConfig(subnet.text);
  config.gateway = gateway.text;
  return config;
}

/** Why the engine cannot open with these settings; empty if it can. */
export function networkOptionsProblem(given: NetworkOptions): string {
  const problem = addressProblem(given);
  if (problem.length > 0) return problem;
  const mtu = given.bridgeMtu;
  if (mtu.length > 0 && decimalOf(mtu, LARGEST_MTU) < 0) return `invalid MTU number: ${mtu}`;
  const binding = given.bridgeBinding;
  if (binding.length > 0 && parseIpv4(binding) < 0) return `${quoteText(binding)} is not an IPv4 address`;
  return poolsProblem(given.addressPools);
}

function addressProblem(given: NetworkOptions): string {
  const bridge = parsePrefix(given.bridgeAddress);
  if (given.bridgeAddress.length > 0) {
    if (bridge === null) return `default bridge: invalid CIDR address: ${given.bridgeAddress}`;
    if (bridge.subnet.isIpv6) return `default bridge: IPv6 is not implemented yet: ${given.bridgeAddress}`;
    if (bridge.isMasked || bridge.address.equals(bridge.subnet.last)) {
      return `default bridge: ${given.bridgeAddress} is not the address of a machine`;
    }
  }
  const range = parseSubnet(given.bridgeRange);
  if (given.bridgeRange.length > 0) {
    if (range === null) return `default bridge: invalid CIDR address: ${given.bridgeRange}`;
    if (range.isIpv6) return `default bridge: IPv6 is not implemented yet: ${given.bridgeRange}`;
    if (bridge !== null && !(bridge.subnet.contains(range.base) && bridge.subnet.contains(range.last))) {
      return `default bridge: the range ${range.text} is not in the subnet ${bridge.subnet.text}`;
    }
  }
  return gatewayProblem(given.bridgeGateway, bridge === null ? range : bridge.subnet);
}

/** `subnet`: null if the options do not tell it. */
function gatewayProblem(text: string, subnet: Subnet | null): string {
  if (text.length == 0) return "";
  const gateway: Address | null = parseAddress(text);
  if (gateway === null) return `default bridge: invalid gateway address: ${text}`;
  if (subnet === null) return `default bridge: a gateway needs an address of the bridge, too: ${text}`;
  return subnet.contains(gateway) ? "" : `default bridge: the gateway ${text} is not in the subnet ${subnet.text}`;
}
