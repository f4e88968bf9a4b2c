// What a network and an endpoint on it are in one family of addresses.

import type { networks } from "../../shared/index.js";
import { canonical, isIpv6, isWithin, type Family } from "./addresses.js";

/** All are empty if the network does not have the family. */
export interface BridgeSide {
  subnet: string;
  /** The machine's address there. */
  gateway: string;
  mode: string;
  /** The address under which packets leave; empty for the one of the interface through which they leave. */
  source: string;
}

/** `address` is empty if the endpoint does not have the family, `gateway` if its default route leads elsewhere. */
export interface EndpointSide {
  address: string;
  gateway: string;
}

export function bridgeIn(bridge: networks.Bridge, family: Family): BridgeSide {
  const { subnet, gateway, gatewayMode: mode, sourceAddress: source } = bridge;
  if (family === 4) return { subnet, gateway, mode, source };
  const { ipv6Subnet, ipv6Gateway, ipv6GatewayMode, ipv6SourceAddress } = bridge;
  return { subnet: ipv6Subnet, gateway: ipv6Gateway, mode: ipv6GatewayMode, source: ipv6SourceAddress };
}

export function endpointIn(join: networks.Join, family: Family): EndpointSide {
  if (family === 4) return { address: join.address, gateway: join.gateway };
  return { address: join.ipv6Address, gateway: join.ipv6Gateway };
}

/** The endpoint's addresses in its network's subnets, IPv4 first. */
export function addressesOf({ address, ipv6Address }: networks.Join): string[] {
  return [address, ipv6Address].filter((one) => one !== "");
}

/** Its addresses, with those of its link. */
export function allAddressesOf(join: networks.Join): string[] {
  return [...addressesOf(join), ...join.linkLocal.map((address) => canonical(address) ?? address)];
}

/** The endpoint's own address from which it reaches an address of its link; undefined if it has none there. */
export function linkAddress(join: networks.Join, to: string): string | undefined {
  const own = join.linkLocal.map((address) => canonical(address) ?? address);
  return own.find((one) => isWithin(to, `${one}/${isIpv6(one) ? IPV6_LINK_BITS : LINK_BITS}`));
}

/** Prefixes of link-local addresses (RFC 3927, RFC 4291), which Docker gives to any address among them. */
const LINK_BITS = 16;
const IPV6_LINK_BITS = 64;
