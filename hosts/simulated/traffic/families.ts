// What a network and an endpoint on it are in one family of addresses.

import type { networks } from "../../shared/index.js";
import type { Family } from "./addresses.js";

/** All are empty if the network does not have the family. */
export interface BridgeSide {
  subnet: string;
  /** The machine's address there. */
  gateway: string;
  mode: string;
}

/** `address` is empty if the endpoint does not have the family, `gateway` if its default route leads elsewhere. */
export interface EndpointSide {
  address: string;
  gateway: string;
}

export function bridgeIn(bridge: networks.Bridge, family: Family): BridgeSide {
  if (family === 4) return { subnet: bridge.subnet, gateway: bridge.gateway, mode: bridge.gatewayMode };
  return { subnet: bridge.ipv6Subnet, gateway: bridge.ipv6Gateway, mode: bridge.ipv6GatewayMode };
}

export function endpointIn(join: networks.Join, family: Family): EndpointSide {
  if (family === 4) return { address: join.address, gateway: join.gateway };
  return { address: join.ipv6Address, gateway: join.ipv6Gateway };
}

/** The endpoint's addresses, IPv4 first. */
export function addressesOf({ address, ipv6Address }: networks.Join): string[] {
  return [address, ipv6Address].filter((one) => one !== "");
}
