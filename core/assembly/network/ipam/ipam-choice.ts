// The addresses of a new network: the subnets that the client gave, or one of the engine's choice, and in each the
// machine's own address.

import { Json } from "../../json/json";
import { badParameter, forbidden, internal, notBuilt, Refusal } from "../../refusal";
import { Address, canonicalAddress, parseAddress } from "../address/address";
import { AddressPool } from "../address/address-pool";
import { parseSubnet } from "../address/subnet";
import { Network } from "../network";
import { networkStore } from "../store";
import { freeSubnet, hasSameRoute } from "./default-pools";
import { IpamConfig } from "./ipam-config";

const OVERLAPS = "invalid pool request: Pool overlaps with other one on this address space";
const NONE_LEFT = "all predefined address pools have been fully subnetted";
/** As `OTHER_GATEWAY`, for IPv6. */
const OTHER_IPV6_GATEWAY = "DefaultGatewayIPv6";
/** The bridge has one address of each family. */
const ONE_SUBNET = "bridge driver doesn't support multiple subnets";
const TAKEN = "Address already in use";

/** Writes down what the client gave, for other networks. `configs`: `IPAM.Config`, checked. */
export function keepIpam(network: Network, configs: Json): void {
  for (let i = 0; i < configs.items.length; i++) network.ipam.push(configOf(configs.items[i]));
}

/** Why the network cannot have these addresses; null after they were chosen. `configs`: `IPAM.Config`, checked. */
export function chooseIpam(network: Network, configs: Json): Refusal | null {
  keepIpam(network, configs);
  let count = 0;
  for (let i = 0; i < network.ipam.length; i++) if (!network.ipam[i].isIpv6) count += 1;
  if (count > 1 && network.isOnParent) return notBuilt("a network with several IPv4 subnets");
  if (count > 1) return forbidden(ONE_SUBNET);
  network.subnetsGiven = count > 0;
  return count == 0 ? chooseSubnet(network) : takeSubnet(network, network.ipv4!);
}

function configOf(given: Json): IpamConfig {
  const config = new IpamConfig(canonicalSubnet(given.stringOf("Subnet")));
  config.range = canonicalSubnet(given.stringOf("IPRange"));
  config.gateway = canonicalAddress(given.stringOf("Gateway"));
  const auxiliary = given.entry("AuxiliaryAddresses");
  if (auxiliary !== null) auxiliary.takeTexts(config.auxiliaryKeys, config.auxiliaryValues);
  return config;
}

/** Empty for an empty text. Blocks of a family that the network does not have were not checked, and stay as they are. */
function canonicalSubnet(text: string): string {
  const subnet = parseSubnet(text);
  return subnet === null ? text : subnet.text;
}

/** Docker lists a subnet of its own choice before those that the client gave. */
function chooseSubnet(network: Network): Refusal | null {
  const subnet = freeSubnet(networkStore.subnets());
  if (subnet === null) return badParameter(NONE_LEFT);
  const config = new IpamConfig(subnet.text);
  if (!network.isOnParent) config.gateway = subnet.base.plus(1).text;
  network.ipam.unshift(config);
  return null;
}

function takeSubnet(network: Network, config: IpamConfig): Refusal | null {
  const subnet = parseSubnet(config.subnet)!;
  const others = networkStore.subnets();
  for (let i = 0; i < others.length; i++) if (others[i].overlaps(subnet)) return forbidden(OVERLAPS);
  // A parent, or an interface that exists already, has the route that the client means.
  const isNew = !network.isOnParent && network.settings.interfaceName.length == 0;
  if (isNew && hasSameRoute(subnet)) return forbidden(OVERLAPS);
  const pool = new AddressPool(subnet, config.range.length > 0 ? parseSubnet(config.range)! : subnet);
  // The gateway of a macvlan or ipvlan network is a router, which only the client can know.
  const hasGateway = !network.isOnParent || config.gateway.length > 0;
  const gateway: Refusal | null = hasGateway ? chooseGateway(config, pool) : null;
  if (gateway !== null) return gateway;
  return setAsideAuxiliary(network.name, config, pool);
}

/** `name`: of the network. */
function setAsideAuxiliary(name: string, config: IpamConfig, pool: AddressPool): Refusal | null {
  for (let i = 0; i < config.auxiliaryKeys.length; i++) {
    if (config.auxiliaryKeys[i] == OTHER_IPV6_GATEWAY) return notBuilt(config.auxiliaryKeys[i]);
    const which = `(${config.auxiliaryKeys[i]}:${config.auxiliaryValues[i]})`;
    const address: Address | null = parseAddress(config.auxiliaryValues[i]);
    if (address === null) return badParameter(`non parsable secondary ip address ${which} passed for network ${name}`);
    if (!pool.takeFixed(address, "")) return internal(`failed to allocate secondary ip address ${which}: ${TAKEN}`);
  }
  return null;
}

function chooseGateway(config: IpamConfig, pool: AddressPool): Refusal | null {
  if (config.gateway.length > 0) {
    if (pool.takeFixed(parseAddress(config.gateway)!, "")) return null;
    return internal(`failed to allocate gateway (${config.gateway}): ${TAKEN}`);
  }
  const address = pool.take("");
  if (address === null) return internal("failed to allocate gateway (): No available addresses on this pool");
  config.gateway = address.text;
  config.gatewayHidden = true;
  return null;
}
