// The addresses of a new network: for each family the subnet that the client gave, or one of the engine's choice, and in
// it the machine's own address.

import { Json } from "../../json/json";
import { badParameter, forbidden, internal, Refusal } from "../../refusal";
import { Address, canonicalAddress, parseAddress } from "../address/address";
import { AddressPool } from "../address/address-pool";
import { ipv6SubnetProblem, parseSubnet, Prefix, Subnet } from "../address/subnet";
import { SubnetSet } from "../address/subnet-set";
import { Network } from "../network";
import { networkStore } from "../store";
import { freeSubnet, hasSameRoute } from "./default-pools";
import { IpamConfig } from "./ipam-config";

const OVERLAPS = "invalid pool request: Pool overlaps with other one on this address space";
const NONE_LEFT = "all predefined address pools have been fully subnetted";
/** The bridge has one address of each family. */
const ONE_SUBNET = "bridge driver doesn't support multiple subnets";
const TAKEN = "Address already in use";

/** Writes down what the client gave, for other networks. `configs`: `IPAM.Config`, checked. */
export function keepIpam(network: Network, configs: Json): void {
  for (let i = 0; i < configs.items.length; i++) network.ipam.push(configOf(configs.items[i]));
}

/**
 * Why the network cannot have these addresses; null after they were chosen. `configs`: `IPAM.Config`, checked. The
 * network says which families it has.
 */
export function chooseIpam(network: Network, configs: Json): Refusal | null {
  keepIpam(network, configs);
  // Clients see IPv4 first, as in Docker.
  network.ipam.sort((one: IpamConfig, other: IpamConfig) => <i32>one.isIpv6 - <i32>other.isIpv6);
  const counts = network.ipam.map<i32>((config: IpamConfig) => (config.isIpv6 ? 1 : 0));
  const ipv6 = counts.reduce<i32>((sum: i32, one: i32) => sum + one, 0);
  const ipv4 = counts.length - ipv6;
  const isOne = !network.isOnParent;
  if (isOne && ((!network.withoutIpv4 && ipv4 > 1) || (network.withIpv6 && ipv6 > 1))) return forbidden(ONE_SUBNET);
  network.subnetsGiven = ipv4 > 0;
  network.ipv6SubnetsGiven = ipv6 > 0;
  const refusal: Refusal | null = network.withoutIpv4 ? null : chooseFamily(network, false);
  return refusal !== null || !network.withIpv6 ? refusal : chooseFamily(network, true);
}

/** The subnets that the client gave, or one of the engine's choice. */
function chooseFamily(network: Network, ipv6: bool): Refusal | null {
  const taken = new SubnetSet(networkStore.subnets());
  const given = network.ipam.slice(0);
  let isGiven = false;
  for (let i = 0; i < given.length; i++) {
    if (given[i].isIpv6 != ipv6) continue;
    isGiven = true;
    const refusal = takeSubnet(network, given[i], taken);
    if (refusal !== null) return refusal;
    taken.add(parseSubnet(given[i].subnet)!);
  }
  return isGiven ? null : chooseSubnet(network, ipv6, taken);
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

/** An IPv4 subnet comes before those of IPv6. */
function chooseSubnet(network: Network, ipv6: bool, taken: SubnetSet): Refusal | null {
  const subnet = freeSubnet(taken, ipv6);
  if (subnet === null) return badParameter(NONE_LEFT);
  const config = new IpamConfig(subnet.text);
  if (network.hasGateway(ipv6)) config.gateway = subnet.base.plus(1).text;
  if (ipv6) network.ipam.push(config);
  else network.ipam.unshift(config);
  return null;
}

/** `others`: the subnets of all networks, and those that this one has already. */
function takeSubnet(network: Network, config: IpamConfig, others: SubnetSet): Refusal | null {
  const subnet = parseSubnet(config.subnet)!;
  if (others.overlaps(subnet)) return forbidden(OVERLAPS);
  // A parent, or an interface that exists already, has the route that the client means.
  const isNew = !network.isOnParent && network.settings.interfaceName.length == 0;
  if (isNew && hasSameRoute(subnet)) return forbidden(OVERLAPS);
  const pool = new AddressPool(subnet, config.range.length > 0 ? parseSubnet(config.range)! : subnet);
  // The gateway of a macvlan or ipvlan network is a router, which only the client can know.
  const hasGateway = network.hasGateway(subnet.isIpv6) || config.gateway.length > 0;
  const gateway: Refusal | null = hasGateway ? chooseGateway(config, pool) : null;
  if (gateway !== null) return gateway;
  const first: Address = hasGateway ? parseAddress(config.gateway)! : subnet.base;
  const problem = ipv6SubnetProblem(new Prefix(first, subnet));
  if (problem.length > 0) return badParameter(problem);
  return setAsideAuxiliary(network.name, config, pool);
}

/** `name`: of the network. */
function setAsideAuxiliary(name: string, config: IpamConfig, pool: AddressPool): Refusal | null {
  for (let i = 0; i < config.auxiliaryKeys.length; i++) {
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
